// How messages arrive: in which order, and in which batches.
import fc from 'fast-check'
import { mix, type History } from './histories.js'
import { isEvent, type Message } from './messages.js'

export const arrivals = fc.record({
  order: fc.constantFrom('chain', 'near', 'any', 'any'),
  seed: fc.noShrink(fc.nat(2 ** 31 - 1)),
  /** thousandths of the time; none is one batch */
  cuts: fc.array(fc.nat(999), { maxLength: 12, size: 'max' }),
  /** how many rows a transaction folds again; the rest becomes work */
  rowsAtOnce: fc.constantFrom(500, 500, 2, 12),
  /** how many pages of work are done after each batch; all are done at the end */
  pages: fc.constantFrom(1_000, 1, 0),
})
export type Arrival = typeof arrivals extends fc.Arbitrary<infer T> ? T : never

/**
 * Shuffles messages and cuts them into batches. Messages of one transaction keep their order, because of messages that
 * contradict each other the first counts. Retractions come at any time. The time of a message does not depend on other
 * worlds, so a world that breaks a law does so alone.
 */
export function arrive({ messages, places }: History, { order, seed, cuts }: Arrival): Message[][] {
  const times = messages.map(({ key }, at) => {
    const random = mix(key, seed) / 2 ** 32
    if (order === 'chain') return places[at]!
    return order === 'any' ? random : (places[at]! * 4 + random) / 5
  })
  const groups = new Map<string, number[]>()
  messages.forEach((message, at) => {
    const group = isEvent(message) ? message.signature : `control ${at}`
    const known = groups.get(group)
    if (known) known.push(at)
    else groups.set(group, [at])
  })
  const arriving: { at: number; time: number }[] = []
  for (const group of groups.values()) {
    const sorted = group.map(at => times[at]!).sort((a, b) => a - b)
    group.forEach((at, place) => arriving.push({ at, time: sorted[place]! }))
  }
  arriving.sort((a, b) => a.time - b.time || a.at - b.at)
  const bounds = [...[...cuts].sort((a, b) => a - b).map(cut => cut / 1000), Infinity]
  const batches: Message[][] = bounds.map(() => [])
  for (const { at, time } of arriving) batches[bounds.findIndex(bound => time < bound)]!.push(messages[at]!)
  return batches.filter(batch => batch.length > 0)
}
