// Judges a history by the promises alone.
import type { Entry } from './entries.js'
import { History } from './history.js'
import { losses } from './rules/losses.js'
import { oneOrder } from './rules/one-order.js'
import { prefix } from './rules/prefix.js'
import { reads } from './rules/reads.js'
import { seats } from './rules/seats.js'
import { stream } from './rules/stream.js'
import { webhooks } from './rules/webhooks.js'
import type { Rule, Violation } from './rules/violation.js'

const RULES: readonly Rule[] = [oneOrder, prefix, reads, webhooks, seats, losses, stream]

/** @returns each broken promise with the shortest part of the history that breaks it */
export function judge(entries: readonly Entry[]): Violation[] {
  const history = new History(entries)
  return RULES.flatMap(rule => rule(history).map(violation => shorten(rule, violation, entries[0]!)))
}

/** Leaves out every entry without which the rest still breaks the same promise in the same way. */
function shorten(rule: Rule, violation: Violation, begin: Entry): Violation {
  const breaks = (entries: readonly Entry[]) =>
    rule(new History([begin, ...entries])).some(({ subject }) => subject === violation.subject)
  let { entries } = violation
  for (const entry of violation.entries) {
    const fewer = entries.filter(other => other !== entry)
    if (breaks(fewer)) entries = fewer
  }
  return { ...violation, entries }
}
