import type { Store } from '../database/open-store.js'

/**
 * Calls `initialise` once in the life of a deployment: when it succeeded, that is remembered for ever. Of
 * several callers at once one initialises, and the others wait for it on the row they also want to insert.
 * @throws StoreUnavailableError, or what `initialise` threw
 */
export async function rememberLeaseUse(
  { database }: Store,
  environment: string,
  initialise: () => Promise<void>,
): Promise<void> {
  let failure: Error | undefined
  try {
    await database.transaction(async tx => {
      const inserted = await tx.$executeRaw`
        insert into lease_uses (environment) values (${environment}) on conflict do nothing`
      if (inserted === 0) return
      await initialise().catch((error: Error) => {
        failure = error
        throw error
      })
    })
  } catch (error) {
    throw failure ?? error
  }
}
