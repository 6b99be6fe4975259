// Compares the final REST answers, through the base URL, with the model.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Model, ModelPayment } from '@payment-tracking/testkit/oracle'
import type { Differences } from './differences.js'

const MOST = 1_000

/** @returns the answer, also where it is that there is none */
export async function ask(baseUrl: string, path: string): Promise<string> {
  for (;;) {
    // A late process would ask over a connection that the edge has closed as idle.
    const response = await fetch(baseUrl + path, { headers: { connection: 'close' } }).catch(() => undefined)
    const text = await response?.text().catch(() => undefined)
    if (text !== undefined && (response!.ok || response!.status === 404)) return text
    await sleep(200)
  }
}

const valid = (payments: readonly ModelPayment[]) => payments.filter(({ event }) => !event.retracted)

const sum = (payments: readonly ModelPayment[]): bigint =>
  payments.reduce((total, { amount }) => total + amount, 0n)

export async function compareAnswers(baseUrl: string, model: Model, differences: Differences): Promise<void> {
  const check = (path: string, what: string, is: unknown, should: unknown) => {
    if (is !== should)
      differences.add('rest', `${path} says ${what} ${String(is)}; it should be ${String(should)}`)
  }
  const left = model.events.filter(({ retracted }) => !retracted)
  const count = '/v1/events/count'
  check(count, 'count', (JSON.parse(await ask(baseUrl, count)) as { count: number }).count, left.length)
  const names = [...new Set(left.map(({ name }) => name))].sort().join()
  check(
    '/v1/events/names',
    'names',
    (JSON.parse(await ask(baseUrl, '/v1/events/names')) as string[]).join(),
    names,
  )
  for (const gateway of model.gateways.keys()) {
    const path = `/v1/events/payments/stats?gateway=${gateway}`
    const text = await ask(baseUrl, path)
    const payments = valid(model.payments).filter(payment => payment.gateway === gateway)
    check(path, 'count', (JSON.parse(text) as { count: number }).count, payments.length)
    check(path, 'the sum over all tokens', String(sumOfTokens(text)), String(sum(payments)))
  }
  for (const trackingId of new Set(model.payments.map(payment => payment.trackingId))) {
    if (trackingId !== null) await compareTracking(baseUrl, trackingId, model, check)
  }
}

/** The amounts of all tokens in an answer of payment statistics. They may be beyond what `JSON.parse` can read. */
const sumOfTokens = (stats: string): bigint =>
  [...stats.slice(stats.indexOf('"byToken"')).matchAll(/"totalAmount":(\d+)/g)].reduce(
    (total, [, amount]) => total + BigInt(amount!),
    0n,
  )

interface OneTimeRecord {
  slot: number
  signature: string
  finality: string
  retracted?: boolean
}

type Check = (path: string, what: string, is: unknown, should: unknown) => void

async function compareTracking(
  baseUrl: string,
  trackingId: string,
  model: Model,
  check: Check,
): Promise<void> {
  const payments = model.payments.filter(payment => payment.trackingId === trackingId)
  const oneTime = `/v1/onetime/${encodeURIComponent(trackingId)}?limit=${MOST}`
  const describePayments = (records: readonly OneTimeRecord[]) =>
    records
      .map(
        ({ slot, signature, finality, retracted }) =>
          `${slot} ${signature} ${retracted ? 'retracted' : finality}`,
      )
      .sort()
      .join()
  const describeModel = (some: readonly ModelPayment[]) =>
    describePayments(
      some.map(({ event: { slot, signature, isFinal, retracted } }) => ({
        slot,
        signature,
        finality: isFinal ? 'finalized' : 'confirmed',
        retracted,
      })),
    )
  if (payments.length <= MOST) {
    for (const [path, some] of [
      [oneTime, valid(payments)],
      [`${oneTime}&retracted=true`, payments],
    ] as const) {
      const { data = [] } = JSON.parse(await ask(baseUrl, path)) as { data?: OneTimeRecord[] | OneTimeRecord }
      check(path, 'payments', describePayments([data].flat()), describeModel(some))
    }
  }
  const subscriptions = `/v1/subscriptions?trackingId=${encodeURIComponent(trackingId)}`
  const { data } = JSON.parse(await ask(baseUrl, subscriptions)) as {
    data: { policyAddress: string; status: string; paymentCount: number }[]
  }
  const live = [...model.policies].filter(([, policy]) => policy.live && policy.trackingId === trackingId)
  const describe = (address: string, status: string, paymentCount: number) =>
    `${address} ${status} ${paymentCount}`
  check(
    subscriptions,
    'policies',
    data
      .map(row => describe(row.policyAddress, row.status, row.paymentCount))
      .sort()
      .join(),
    live
      .map(([address, policy]) => describe(address, policy.status, policy.paymentCount))
      .sort()
      .join(),
  )
}
