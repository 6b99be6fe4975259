// What a request writes, and the answer to it, are one: the answer is built before the commit. So no webhook is
// made whose secret nobody has seen. The functions of this package need not know: their statements join the transaction.
import { AsyncLocalStorage } from 'node:async_hooks'
import { mapStoreErrors } from '../errors.js'
import { markMessages } from '../tables/messages.js'
import type { Prisma, PrismaClient } from '../../generated/client.js'
import type { Database, TransactionLimits } from './database.js'
import type { Statement } from './sql.js'

interface Joined {
  database: Database
  tx: Prisma.TransactionClient
  savepoints: number
  signal: AbortSignal | undefined
  afterCommit: (() => Promise<unknown>)[]
}

const current = new AsyncLocalStorage<Joined>()

/** A request may wait for others of its gateway. */
const LIMITS: TransactionLimits = { maxWait: 10_000, timeout: 10_000 }

/** The end of a gateway waits for changes of its webhooks and keys: a paused process holds such rows no longer than this. */
const IDLE = `set local idle_in_transaction_session_timeout = '1s'`

/** Runs `work`, whose statements join one transaction, and after the commit what it left for then. */
export async function runJoined<T>(
  database: Database,
  work: () => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  signal?.throwIfAborted()
  const later: Joined['afterCommit'] = []
  const result = await database.transaction(async tx => {
    await tx.$executeRawUnsafe(IDLE)
    const done = await current.run({ database, tx, savepoints: 0, signal, afterCommit: later }, work)
    signal?.throwIfAborted()
    return done
  }, LIMITS)
  for (const each of later) await each()
  return result
}

/** Runs `work` once what was written is committed; at once outside of `inOneTransaction`. */
export async function afterCommit(work: () => Promise<unknown>): Promise<void> {
  const joined = current.getStore()
  if (joined) joined.afterCommit.push(work)
  else await work()
}

/** A failure undoes the part alone, as it does outside: `isolate` goes on after one. */
async function inSavepoint<T>(
  joined: Joined,
  work: (tx: Prisma.TransactionClient) => PromiseLike<T>,
): Promise<T> {
  const { tx, signal } = joined
  signal?.throwIfAborted()
  const name = `joined_${(joined.savepoints += 1)}`
  const unlog = markMessages(tx)
  await tx.$executeRawUnsafe(`savepoint ${name}`)
  try {
    const result = await work(tx)
    await tx.$executeRawUnsafe(`release savepoint ${name}`)
    return result
  } catch (error) {
    unlog()
    await tx.$executeRawUnsafe(`rollback to savepoint ${name}`)
    throw error
  }
}

/** Lets the statements of a database join the transaction that `inOneTransaction` opened, where there is one. */
export function joinTransactions(unjoined: Database): Database {
  const own = () => {
    const joined = current.getStore()
    return joined?.database === database ? joined : undefined
  }
  const joining = <T>(
    inside: (tx: Prisma.TransactionClient) => PromiseLike<T>,
    outside: () => Promise<T>,
  ): Promise<T> => {
    const joined = own()
    return joined ? mapStoreErrors(() => inSavepoint(joined, inside)) : outside()
  }
  const readIn = <Row>(tx: Prisma.TransactionClient, { text, values }: Statement) =>
    tx.$queryRawUnsafe<Row[]>(text, ...values)
  const database: Database = {
    ...unjoined,
    write: statement =>
      joining(
        tx => tx.$queryRaw(statement),
        () => unjoined.write(statement),
      ),
    execute: statement =>
      joining(
        tx => tx.$executeRaw(statement),
        () => unjoined.execute(statement),
      ),
    withModels: work =>
      joining(
        tx => work(tx as PrismaClient),
        () => unjoined.withModels(work),
      ),
    transaction: (work, limits) => joining(work, () => unjoined.transaction(work, limits)),
    read: (statement, signal) =>
      joining(
        tx => readIn(tx, statement),
        () => unjoined.read(statement, signal),
      ),
    lookUp: (statement, signal) =>
      joining(
        tx => readIn(tx, statement),
        () => unjoined.lookUp(statement, signal),
      ),
  }
  return database
}
