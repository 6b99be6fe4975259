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

const sorted = (lines: readonly string[]): string => [...lines].sort().join('\n')

/** @returns a line for each answer that differs */
export async function findReadProblems(
  store: Store,
  { tables, keyOfId }: Run,
  model: Model,
): Promise<string[]> {
  const problems: string[] = []
  const compare = (what: string, expected: readonly string[], found: readonly string[]) => {
    if (sorted(expected) !== sorted(found))
      problems.push(`${what}\n    expected\n${sorted(expected)}\n    found\n${sorted(found)}`)
  }
  const valid = model.payments.filter(({ event }) => !event.retracted)
  const closed = new Set(
    model.events
      .filter(({ name, retracted }) => name === 'UserPaymentDeleted' && !retracted)
      .map(({ data }) => data.user_payment),
  )
  for (const gateway of [...new Set([...model.policies.values()].map(each => each.gateway))].slice(
    0,
    ASKED,
  )) {
    const live = [...model.policies.values()].filter(policy => policy.live && policy.gateway === gateway)
    const listed = await listSubscriptions(store, { gateway }, { limit: 1_000 })
    compare(
      `subscriptions of ${labelOf(gateway)}`,
      live.map(
        ({
          address,
          status,
          paymentCount,
          totalPaid,
          nextPaymentDue,
          trackingId,
          inputMint,
          userPayment,
        }) => {
          const account = model.userPayments.get(userPayment)
          const mint = inputMint ?? account?.tokenMint ?? null
          // One whose beginning is not known may have ended.
          const isClosed = account ? !account.live : closed.has(userPayment)
          return [
            address,
            status,
            paymentCount,
            totalPaid,
            nextPaymentDue,
            trackingId,
            mint,
            account?.owner ?? null,
            isClosed,
          ]
            .map(cell)
            .join(' ')
        },
      ),
      listed.map(
        ({
          address,
          status,
          paymentCount,
          totalPaid,
          nextPaymentDue,
          trackingId,
          tokenMint,
          walletPublicKey,
          userPaymentDeleted,
        }) =>
          [
            ...[address, status, paymentCount, totalPaid, nextPaymentDue, trackingId, tokenMint],
            ...[walletPublicKey, userPaymentDeleted],
          ]
            .map(cell)
            .join(' '),
      ),
    )
  }
  for (const gateway of [undefined, ...new Set(valid.map(payment => payment.gateway))].slice(0, ASKED)) {
    const own = valid.filter(payment => gateway === undefined || payment.gateway === gateway)
    const { count, firstAt, lastAt, byToken } = await readPaymentStats(store, { gateway })
    const mints = [...new Set(own.map(({ tokenMint }) => tokenMint))]
    const times = own.map(({ event }) => event.at).sort((a, b) => a - b)
    const sumOf = (payments: typeof own) => {
      const amounts = payments.map(({ amount }) => amount).sort((a, b) => (a < b ? -1 : 1))
      const total = amounts.reduce((sum, amount) => sum + amount, 0n)
      return `${amounts.length} ${total} ${amounts[0]} ${amounts.at(-1)}`
    }
    compare(
      `statistics of ${gateway === undefined ? 'all gateways' : labelOf(gateway)}`,
      [
        `${own.length} ${times[0] ?? null} ${times.at(-1) ?? null}`,
        ...mints.map(mint => `${cell(mint)} ${sumOf(own.filter(({ tokenMint }) => tokenMint === mint))}`),
      ],
      [
        `${count} ${firstAt?.getTime() ?? null} ${lastAt?.getTime() ?? null}`,
        ...byToken.map(
          token => `${cell(token.tokenMint)} ${token.count} ${token.total} ${token.min} ${token.max}`,
        ),
      ],
    )
  }
  for (const { tracking_id: id, head } of tables.trackings.slice(0, ASKED)) {
    const trackingId = String(id)
    const own = valid.filter(payment => payment.trackingId === trackingId)
    const listed = await listOneTimePayments(store, trackingId, PAGE, new Map())
    compare(
      `payments of ${trackingId}`,
      own.map(({ event }) => event.key),
      listed.map(each => keyOfId.get(each.eventId)!),
    )
    const ever = model.payments.filter(payment => payment.trackingId === trackingId)
    const bySeq = await readPaymentsBySeq(store, [{ trackingId, from: 1, to: Number(head) }])
    compare(
      `payments of ${trackingId} by seq`,
      ever.map(({ event, recipient, payer, tokenMint }) =>
        [event.key, recipient, payer, tokenMint, event.retracted].map(cell).join(' '),
      ),
      bySeq.map(({ eventId, recipient, payer, tokenMint, retracted = false }) =>
        [keyOfId.get(eventId)!, recipient, payer, tokenMint, retracted].map(cell).join(' '),
      ),
    )
  }
  return problems
}

const cell = (value: string | number | bigint | boolean | null): string =>
  typeof value === 'string' ? value.split(' ').map(labelOf).join(' ') : String(value)
