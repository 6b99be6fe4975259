// The public functions for reading, of the first world of a run: they say what the model says.
import { labelOf, type Model } from '@payment-tracking/testkit/oracle'
import { listOneTimePayments } from '../../src/reads/lists/list-one-time-payments.js'
import { listSubscriptions } from '../../src/reads/lists/list-subscriptions.js'
import { readPaymentsBySeq } from '../../src/reads/realtime/read-payments-by-seq.js'
import { readPaymentStats } from '../../src/reads/lists/read-payment-stats.js'
import { type Store } from '../../src/core/database/open-store.js'
import type { Run } from './run.js'

/** How many answers of each kind are compared: each costs a round trip. */
const ASKED = 3

const PAGE = { limit: 1_000, offset: 0 }

const cell = (value: string | number | bigint | boolean | null): string =>
  typeof value === 'string' ? value.split(' ').map(labelOf).join(' ') : String(value)
type Line = readonly (string | number | bigint | boolean | null)[]
const sorted = (lines: readonly Line[]): string =>
  lines
    .map(line => line.map(cell).join(' '))
    .sort()
    .join('\n')

/** @returns a text for each answer that differs */
export async function findReadProblems(
  store: Store,
  { tables, keyOfId }: Run,
  model: Model,
): Promise<string[]> {
  const problems: string[] = []
  const compare = (what: string, expected: readonly Line[], found: readonly Line[]) => {
    const [wanted, is] = [sorted(expected), sorted(found)]
    if (wanted !== is) problems.push(`${what}\n    expected\n${wanted}\n    found\n${is}`)
  }
  const policies = [...model.policies.values()]
  const valid = model.payments.filter(({ event }) => !event.retracted)
  const closed = new Set(
    model.events
      .filter(({ name, retracted }) => name === 'UserPaymentDeleted' && !retracted)
      .map(({ data }) => data.user_payment),
  )
  for (const gateway of [...new Set(policies.map(each => each.gateway))].slice(0, ASKED)) {
    const listed = await listSubscriptions(store, { gateway }, { limit: 1_000 })
    compare(
      `subscriptions of ${labelOf(gateway)}`,
      policies
        .filter(policy => policy.live && policy.gateway === gateway)
        .map(policy => {
          const account = model.userPayments.get(policy.userPayment)
          return [
            ...[policy.address, policy.status, policy.paymentCount, policy.totalPaid, policy.nextPaymentDue],
            ...[policy.trackingId, policy.tokenMint ?? account?.tokenMint ?? null, account?.owner ?? null],
            // One whose beginning is not known may have ended.
            account ? !account.live : closed.has(policy.userPayment),
          ]
        }),
      listed.map(each => [
        ...[each.address, each.status, each.paymentCount, each.totalPaid, each.nextPaymentDue],
        ...[each.trackingId, each.tokenMint, each.walletPublicKey, each.userPaymentDeleted],
      ]),
    )
  }
  for (const gateway of [undefined, ...new Set(valid.map(payment => payment.gateway))].slice(0, ASKED)) {
    const own = valid.filter(payment => gateway === undefined || payment.gateway === gateway)
    const { count, firstAt, lastAt, byToken } = await readPaymentStats(store, { gateway })
    const times = own.map(({ event }) => event.at).sort((a, b) => a - b)
    compare(
      `statistics of ${gateway === undefined ? 'all gateways' : labelOf(gateway)}`,
      [
        [own.length, times[0] ?? null, times.at(-1) ?? null],
        ...[...new Set(own.map(({ tokenMint }) => tokenMint))].map((mint): Line => {
          const amounts = own.filter(({ tokenMint }) => tokenMint === mint).map(({ amount }) => amount)
          amounts.sort((a, b) => (a < b ? -1 : 1))
          const total = amounts.reduce((sum, amount) => sum + amount, 0n)
          return [mint, amounts.length, total, amounts[0]!, amounts.at(-1)!]
        }),
      ],
      [
        [count, firstAt?.getTime() ?? null, lastAt?.getTime() ?? null],
        ...byToken.map(each => [each.tokenMint, each.count, each.total, each.min, each.max]),
      ],
    )
  }
  for (const { tracking_id: id, head } of tables.trackings.slice(0, ASKED)) {
    const trackingId = String(id)
    const ever = model.payments.filter(payment => payment.trackingId === trackingId)
    const listed = await listOneTimePayments(store, trackingId, PAGE, new Map())
    compare(
      `payments of ${trackingId}`,
      ever.filter(({ event }) => !event.retracted).map(({ event }) => [event.key]),
      listed.map(each => [keyOfId.get(each.eventId)!]),
    )
    const bySeq = await readPaymentsBySeq(store, [{ trackingId, from: 1, to: Number(head) }])
    compare(
      `payments of ${trackingId} by seq`,
      ever.map(({ event, ...of }) => [event.key, of.recipient, of.payer, of.tokenMint, event.retracted]),
      bySeq.map(({ eventId, retracted = false, ...of }) => [
        ...[keyOfId.get(eventId)!, of.recipient, of.payer, of.tokenMint, retracted],
      ]),
    )
  }
  return problems
}
