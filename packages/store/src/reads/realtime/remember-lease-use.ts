import { sql, type Store } from '../../core/database/sql.js'

/**
 * Calls `initialise` once in the life of a deployment, and records its success for ever. Of several concurrent callers,
 * one initialises; the others wait for the row that they also want to insert.
 * SQL: a model would load Prisma's query compiler into each pod at its start.
 * @throws StoreUnavailableError, and every error of `initialise`
 */
export async function rememberLeaseUse(
  { database }: Store,
  environment: string,
  initialise: () => Promise<void>,
): Promise<void> {
  let failure: Error | undefined
  try {
    await database.transaction(async tx => {
      const insert = sql`insert into lease_uses (environment) values (${environment}) on conflict do nothing`
      if ((await tx.$executeRaw(insert)) === 0) return
      await initialise().catch((error: Error) => {
        failure = error
        throw error
      })
    })
  } catch (error) {
    throw failure ?? error
  }
}
