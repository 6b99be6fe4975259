// How messages arrive: in which order, and in which batches.
import fc from 'fast-check'
import { isEvent, push } from '@payment-tracking/testkit/oracle'
import { mix, type History } from './histories.js'
import type { Message } from './messages.js'

/** Some rows of figures, of each span. @param key tells the rows of a table apart */
const some = (key: string): string => `abs(hashtext(${key} || start || span)) % 3 = 0`
const OF_NAME = some('gateway || name')
const OF_TOKEN = some('gateway || token_mint')

/** Statements that make figures wrong: a rebuild rights them. */
const SPOILS = [
  `update payment_token_stats set total = case span when 0 then total * 2 else total - 1 end, min = null where ${OF_TOKEN}`,
  `update payment_token_stats set max = max + 1 where ${OF_TOKEN}`,
  `update payment_token_stats set min = null, max = null where ${OF_TOKEN}`,
  `delete from payment_token_stats where ${OF_TOKEN}`,
  `insert into payment_token_stats (version, gateway, span, start, token_mint, count, total, min, max)
   select version, gateway, span, start, 'stale', 1, 1, 1, 1 from event_counts where ${OF_NAME} on conflict do nothing;
   insert into event_counts (version, gateway, span, name, start, count)
   select figures_version, g.gateway, 86400, 'stale', '2020-01-01', 5
     from stream_head, (values (''), ('stale')) g (gateway) on conflict do nothing`,
  `update event_counts set count = case span when 0 then 0 else count + 7 end where ${OF_NAME}`,
  `delete from event_counts where ${OF_NAME}`,
]

/** Small pages cost most: a page of two rows does as much beside its rows as one of 500. */
const rows = (weights: Record<number, number>) =>
  fc.oneof(
    ...Object.entries(weights).map(([most, weight]) => ({ weight, arbitrary: fc.constant(Number(most)) })),
  )

export const arrivals = fc.record({
  /** mostly far from the chain's: what comes late is what goes wrong */
  order: fc.constantFrom('chain', 'near', 'any', 'any', 'any', 'any'),
  seed: fc.noShrink(fc.nat(2 ** 31 - 1)),
  /** thousandths of the time; none is one batch */
  cuts: fc.array(fc.nat(999), { maxLength: 12, size: 'max' }),
  /** how many rows a transaction recomputes; the rest becomes work */
  rowsAtOnce: rows({ 500: 6, 12: 3, 2: 1 }),
  /** how many pages of work are done after each batch; all are done at the end */
  pages: fc.constantFrom(1_000, 1, 0),
  rebuild: fc.record({
    rows: rows({ 500: 12, 60: 7, 2: 1 }),
    /** what is wrong with the figures before */
    spoils: fc.subarray(SPOILS, { maxLength: 3 }),
  }),
})
export type Arrival = typeof arrivals extends fc.Arbitrary<infer T> ? T : never

/** Whether the figures are spoiled before a batch, and counted again beside those that follow. */
export const isCountedAnew = ({ seed }: Arrival, batch: number): boolean => mix(batch, seed) % 6 === 0

/**
 * Shuffles messages and cuts them into batches. Messages of one transaction keep their order, because of messages that
 * contradict each other the first counts. Retractions come at any time. The time of a message does not depend on other
 * worlds, so a world that breaks a law does so alone.
 */
export function arrive({ messages, ranks }: History, { order, seed, cuts }: Arrival): Message[][] {
  const times = messages.map(({ key }, at) => {
    const random = mix(key, seed) / 2 ** 32
    if (order === 'chain') return ranks[at]!
    return order === 'any' ? random : (ranks[at]! * 4 + random) / 5
  })
  const groups = new Map<string, number[]>()
  messages.forEach((message, at) => {
    const group = isEvent(message) ? message.signature : `control ${at}`
    push(groups, group, at)
  })
  const arriving: { at: number; time: number }[] = []
  for (const group of groups.values()) {
    const sorted = group.map(at => times[at]!).sort((a, b) => a - b)
    group.forEach((at, rank) => arriving.push({ at, time: sorted[rank]! }))
  }
  arriving.sort((a, b) => a.time - b.time || a.at - b.at)
  const bounds = [...[...cuts].sort((a, b) => a - b).map(cut => cut / 1000), Infinity]
  const batches: Message[][] = bounds.map(() => [])
  for (const { at, time } of arriving) batches[bounds.findIndex(bound => time < bound)]!.push(messages[at]!)
  return batches.filter(batch => batch.length > 0)
}
