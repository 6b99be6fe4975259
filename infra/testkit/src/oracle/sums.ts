// Counts and sums by going through everything, in the shape of the rows of aggregates.
import { labelOf } from './labels.js'
import { push } from './push.js'

const SPANS = [0, 86_400, 3_600]

/** Unix seconds. */
const startOf = (span: number, at: number): number => (span === 0 ? 0 : Math.floor(at / (span * 1000)) * span)

export interface SummedPayment {
  name: string
  gateway: string
  amount: bigint
  tokenMint: string | null
  /** ms since 1970 */
  at: number
}

/** @param events what is valid. @param payments the payments among them */
export function sumsOf(events: readonly { name: string; at: number }[], payments: readonly SummedPayment[]) {
  const counts = new Map<string, number>()
  // The rows without a gateway are over all of them. Those of one count payments alone.
  for (const { gateway, name, at } of [...events.map(event => ({ ...event, gateway: '' })), ...payments])
    for (const span of SPANS) {
      const key = `${labelOf(gateway)} ${span} ${startOf(span, at)} ${name}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
  const ofTokens = new Map<string, SummedPayment[]>()
  const ofAllTime = new Set<string>()
  for (const payment of payments)
    for (const gateway of [payment.gateway, ''])
      for (const span of SPANS) {
        const ofToken = `${labelOf(gateway)} ${span} ${startOf(span, payment.at)} ${labelOf(payment.tokenMint ?? '')}`
        push(ofTokens, ofToken, payment)
        if (span === 0) ofAllTime.add(ofToken)
      }
  return {
    event_counts: new Map([...counts].map(([key, count]) => [key, `count=${count}`])),
    payment_token_stats: new Map(
      [...ofTokens].map(([key, group]) => [key, figuresOf(group, ofAllTime.has(key))]),
    ),
  }
}

/** Rows of all time hold no extremes. */
function figuresOf(payments: readonly SummedPayment[], isOfAllTime: boolean): string {
  const amounts = payments.map(({ amount }) => amount).sort((a, b) => (a < b ? -1 : 1))
  const total = amounts.reduce((sum, amount) => sum + amount, 0n)
  const [min, max] = isOfAllTime ? [null, null] : [amounts[0], amounts.at(-1)]
  return `count=${amounts.length} total=${total} min=${min} max=${max}`
}
