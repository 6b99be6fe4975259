// Counts and sums, over all time, by day and by hour of the event's time, counted by going through everything.
import type { ModelEvent } from './events.js'
import type { Model } from './state.js'

const SPANS = [0, 86_400, 3_600]

/** Rows as text, `key → value`, so that two sets of them can be compared line by line. */
export interface ModelAggregates {
  event_counts: Map<string, string>
  payment_stats: Map<string, string>
  payment_token_stats: Map<string, string>
}

const startOf = (span: number, atMs: number): string =>
  new Date(span === 0 ? 0 : Math.floor(atMs / (span * 1000)) * span * 1000).toISOString()

export function countEverything(events: readonly ModelEvent[], model: Model): ModelAggregates {
  const counts = new Map<string, number>()
  const groups = new Map<string, { amounts: bigint[]; timesMs: number[] }>()
  const tokens = new Map<string, bigint[]>()
  for (const { message, retracted } of events) {
    if (retracted) continue
    for (const span of SPANS) {
      const key = `${message.event_name} ${span} ${startOf(span, Date.parse(message.timestamp))}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
  }
  for (const payment of model.payments) {
    if (payment.retracted) continue
    const { gateway, amount, occurredAtMs } = payment
    const policy = model.policies.get(payment.policy)
    const ofUserPayment = policy && model.userPayments.get(policy.userPayment)?.tokenMint
    const mint = payment.tokenMint ?? policy?.tokenMint ?? ofUserPayment ?? ''
    for (const owner of [gateway, '']) {
      for (const span of SPANS) {
        const key = `${owner} ${span} ${startOf(span, occurredAtMs)}`
        const group = groups.get(key) ?? { amounts: [], timesMs: [] }
        group.amounts.push(amount)
        group.timesMs.push(occurredAtMs)
        groups.set(key, group)
        const ofToken = tokens.get(`${key} ${mint}`) ?? []
        ofToken.push(amount)
        tokens.set(`${key} ${mint}`, ofToken)
      }
    }
  }
  return {
    event_counts: new Map([...counts].map(([key, count]) => [key, String(count)])),
    payment_stats: new Map([...groups].map(([key, group]) => [key, describe(group)])),
    payment_token_stats: new Map(
      [...tokens].map(([key, amounts]) => [key, `${amounts.length} ${sum(amounts)}`]),
    ),
  }
}

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n)

function describe({ amounts, timesMs }: { amounts: bigint[]; timesMs: number[] }): string {
  const sorted = [...amounts].sort((a, b) => (a < b ? -1 : 1))
  const iso = (ms: number) => new Date(ms).toISOString()
  const times = [...timesMs].sort((a, b) => a - b)
  return `${amounts.length} ${sum(amounts)} ${sorted[0]} ${sorted.at(-1)} ${iso(times[0]!)} ${iso(times.at(-1)!)}`
}
