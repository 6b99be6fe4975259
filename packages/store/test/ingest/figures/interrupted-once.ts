import type { Store } from '../../../src/core/database/open-store.js'

/** A store whose first transaction is followed by something else, before its caller goes on. */
export function interruptedOnce(store: Store, between: (() => Promise<unknown>) | undefined): Store {
  let next = between
  return {
    ...store,
    database: {
      ...store.database,
      transaction: async (work, limits) => {
        const result = await store.database.transaction(work, limits)
        const interrupt = next
        next = undefined
        await interrupt?.()
        return result
      },
    },
  }
}
