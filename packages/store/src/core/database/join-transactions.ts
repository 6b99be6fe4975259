// What a request writes, and the answer to it, are one: the answer is built before the commit. So no webhook is
// made whose secret nobody has seen. The functions of this package need not know: their statements join the transaction.
import { AsyncLocalStorage } from 'node:async_hooks'
import { mapStoreErrors } from '../errors.js'
import { markMessages } from '../tables/messages.js'
import type { Prisma, PrismaClient } from '../../generated/client.js'
import type { Database, Statement, Store, TransactionLimits } from './sql.js'

interface Joined {
  database: Database
  tx: Prisma.TransactionClient
  savepoints: number
  signal: AbortSignal | undefined
  afterCommit: (() => Promise<unknown>)[]
}

type Joining = Omit<Database, 'pipelinedTransaction' | 'writePrepared'>

const current = new AsyncLocalStorage<Joined>()

/** A request may wait for others of its gateway. */
const LIMITS: TransactionLimits = { maxWait: 10_000, timeout: 10_000 }

/** The end of a gateway waits for changes of its webhooks and keys: a paused process holds such rows no longer than this. */
const IDLE = `set local idle_in_transaction_session_timeout = '1s'`

/**
 * Runs `work` so that every statement of the store that it awaits is part of one transaction: `work` commits as a whole,
 * or it leaves nothing. The statements must not run at the same time.
 * @param signal aborts when nobody waits for the work any more: unless `work` is committed by then, it leaves nothing. Its reason
 *   is a ServiceError, which is thrown
 */
export async function inOneTransaction<T>(
  { database }: Store,
  work: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  signal?.throwIfAborted()
  const afterCommit: Joined['afterCommit'] = []
  const result = await database.transaction(async tx => {
    await tx.$executeRawUnsafe(IDLE)
    const done = await current.run({ database, tx, savepoints: 0, signal, afterCommit }, work)
    signal?.throwIfAborted()
    return done
  }, LIMITS)
  for (const each of afterCommit) await each()
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

/** The statements of a database, each a part of a transaction. */
function within(joined: Joined): Joining {
  const part = <T>(work: (tx: Prisma.TransactionClient) => PromiseLike<T>) =>
    mapStoreErrors(() => inSavepoint(joined, work))
  const read = <Row>({ text, values }: Statement) => part(tx => tx.$queryRawUnsafe<Row[]>(text, ...values))
  return {
    write: statement => part(tx => tx.$queryRaw(statement)),
    execute: statement => part(tx => tx.$executeRaw(statement)),
    withModels: work => part(tx => work(tx as PrismaClient)),
    transaction: part,
    read,
    lookUp: read,
  }
}

/** Lets the statements of a database join the transaction that `inOneTransaction` opened, where there is one. */
export function joinTransactions(unjoined: Database): Database {
  const here = (): Joining => {
    const joined = current.getStore()
    return joined?.database === database ? within(joined) : unjoined
  }
  const database: Database = {
    ...unjoined,
    write: statement => here().write(statement),
    execute: statement => here().execute(statement),
    withModels: work => here().withModels(work),
    transaction: (work, limits) => here().transaction(work, limits),
    read: (statement, signal) => here().read(statement, signal),
    lookUp: (statement, signal) => here().lookUp(statement, signal),
  }
  return database
}
