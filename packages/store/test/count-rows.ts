import type { Store } from '../src/core/database/open-store.js'

/** A store that notes how many rows each statement gives. */
export function countRows(store: Store): { store: Store; counts: number[] } {
  const counts: number[] = []
  const { database } = store
  const read: typeof database.read = async statement => {
    const rows = await database.read<never>(statement)
    counts.push(rows.length)
    return rows
  }
  return { counts, store: { ...store, database: { ...database, read } } }
}
