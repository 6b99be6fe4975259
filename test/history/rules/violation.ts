import type { Entry } from '../entries.js'
import type { History } from '../history.js'

/** A promise that a history breaks. */
export interface Violation {
  /** The promise. */
  promise: string
  /** What was broken, in few words that name it: the same again for the same fault. */
  subject: string
  /** The entries that show it. */
  entries: readonly Entry[]
}

/** Finds where a history breaks one promise. It takes nothing for granted that the history does not say. */
export type Rule = (history: History) => Violation[]

/** So many violations of one kind tell as much as all of them. */
const MOST = 20

/** Collects violations of one promise, each subject once. */
export function collect(promise: string) {
  const found = new Map<string, Violation>()
  return {
    add(subject: string, entries: readonly (Entry | undefined)[]): void {
      if (found.size >= MOST || found.has(subject)) return
      const known = [...new Set(entries.filter(entry => entry !== undefined))]
      found.set(subject, { promise, subject, entries: known.sort((a, b) => a.at - b.at) })
    },
    get list(): Violation[] {
      return [...found.values()]
    },
  }
}

/** Two names of a database, short enough for a sentence. */
export const shortOf = (epoch: string): string => epoch.slice(0, 8)
