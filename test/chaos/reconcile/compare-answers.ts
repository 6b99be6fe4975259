// Compares the final REST answers, through the base URL, with the model: what an api kept of the time of the faults would show.
// That all else that is read says what is stored, the laws of packages/store show.
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

interface OneTimeRecord {
  slot: number
  signature: string
  finality: string
  retracted?: boolean
}

const describe = (records: readonly OneTimeRecord[]): string =>
  records
    .map(
      ({ slot, signature, finality, retracted }) =>
        `${slot} ${signature} ${retracted ? 'retracted' : finality}`,
    )
    .sort()
    .join()

const toRecord = ({ event: { slot, signature, isFinal, retracted } }: ModelPayment): OneTimeRecord => ({
  slot,
  signature,
  finality: isFinal ? 'finalized' : 'confirmed',
  retracted,
})

export async function compareAnswers(baseUrl: string, model: Model, differences: Differences): Promise<void> {
  const check = (path: string, is: string, should: string) => {
    if (is !== should) differences.add('rest', `${path} says ${is}; it should be ${should}`)
  }
  const valid = model.events.filter(({ retracted }) => !retracted)
  const { count } = JSON.parse(await ask(baseUrl, '/v1/events/count')) as { count: number }
  check('/v1/events/count', String(count), String(valid.length))
  for (const trackingId of new Set(model.payments.map(payment => payment.trackingId))) {
    const payments = model.payments.filter(payment => payment.trackingId === trackingId)
    if (trackingId === null || payments.length > MOST) continue
    const path = `/v1/onetime/${encodeURIComponent(trackingId)}?limit=${MOST}&retracted=true`
    const { data = [] } = JSON.parse(await ask(baseUrl, path)) as { data?: OneTimeRecord[] | OneTimeRecord }
    check(path, describe([data].flat()), describe(payments.map(toRecord)))
  }
}
