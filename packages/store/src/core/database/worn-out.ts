// A connection keeps what was prepared in it, in the memory of its server process, also when something else is used more by now.
import type pg from 'pg'

/** Twice as many as are named at a time. */
const MOST_PREPARED = 400

const preparedIn = new WeakMap<pg.ClientBase, Set<string>>()

/** Notes that a connection prepared a statement. @returns whether it has prepared so many that another shall replace it */
export function wearsOut(client: pg.ClientBase, { name }: pg.QueryConfig): boolean {
  if (name === undefined) return false
  const names = preparedIn.get(client) ?? new Set()
  if (!preparedIn.has(client)) preparedIn.set(client, names)
  names.add(name)
  return names.size > MOST_PREPARED
}
