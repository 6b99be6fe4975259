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

/** Notes a violation; the second of one subject adds nothing. */
export type Add = (subject: string, entries: readonly (Entry | undefined)[]) => void

/** @returns the violations of one promise that `find` notes */
export function collect(promise: string, find: (add: Add) => void): Violation[] {
  const found = new Map<string, Violation>()
  find((subject, entries) => {
    if (found.size >= MOST || found.has(subject)) return
    const known = [...new Set(entries.filter(entry => entry !== undefined))]
    found.set(subject, { promise, subject, entries: known.sort((a, b) => a.at - b.at) })
  })
  return [...found.values()]
}

/** The name of a database, short enough for a sentence. */
export const shortOf = (epoch: string): string => epoch.slice(0, 8)
