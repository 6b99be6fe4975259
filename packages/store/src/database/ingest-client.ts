// Ingest's client: its statements run on pipelined connections, which send a statement without waiting for the answer to
// the one before. Prisma runs the statements of one tick of the event loop one after the other, each waiting for its
// answer; so each statement starts in a tick of its own. Should a release of Prisma change that, only speed would suffer.
import type pg from 'pg'
import { PrismaClient } from '../generated/client.js'
import { buildAdapter } from './build-adapter.js'
import { ParameterReferences } from './parameter-references.js'
import { writeValue } from './pg-codec.js'
import { limitIdleTime, pipelinedTransactions, type PipelinedTx } from './pipelined-transactions.js'
import { raw, sql, toStatement, type Sql, type Tx } from './sql.js'

/** The longest wait for the connection: it is free unless another transaction of this process runs. */
const MAX_WAIT_MS = 10_000

export type IngestClient = ReturnType<typeof openIngestClient>

/**
 * @param pool of pipelined connections; its `query_timeout` ends a statement that waits too long
 * @param idleMs the longest that a transaction may be idle, where the session does not set it
 */
export function openIngestClient(pool: pg.Pool, idleMs?: number) {
  const references = new ParameterReferences()
  const adapter = buildAdapter(pool, value => references.restore(value))
  const client = new PrismaClient({ adapter, errorFormat: 'minimal' })
  return client.$extends(pipelinedTransactions(pool, idleMs)).$extends({
    name: 'bulk-transactions',
    client: {
      $bulkTransaction: <T>(work: (tx: PipelinedTx) => Promise<T>, timeoutMs: number): Promise<T> =>
        runBulkTransaction(client, work, { references, timeoutMs, idleMs }),
    },
  })
}

/**
 * Prisma's `$transaction`, whose statements need not be awaited.
 * @throws the error of the first statement that failed, or else the error of `work`
 */
async function runBulkTransaction<T>(
  client: PrismaClient,
  work: (tx: PipelinedTx) => Promise<T>,
  {
    references,
    timeoutMs,
    idleMs,
  }: { references: ParameterReferences; timeoutMs: number; idleMs: number | undefined },
): Promise<T> {
  let failure: Error | undefined
  const onFailure = (error: Error) => (failure ??= error)
  const answers: Promise<unknown>[] = []
  const { shorten, close } = references.open()
  const run = async (tx: Tx) => {
    const paced = openPaced(tx, shorten, answer => {
      answer.catch(onFailure)
      answers.push(answer)
    })
    if (idleMs !== undefined) paced.tx.send(raw(limitIdleTime(idleMs)))
    try {
      return await work(paced.tx)
    } finally {
      // Prisma closes the transaction behind the last statement that started.
      await paced.allStarted()
    }
  }
  const result = await client
    .$transaction(run, { timeout: timeoutMs, maxWait: MAX_WAIT_MS })
    .catch((error: unknown) => {
      throw failure ?? error
    })
    .finally(close)
  // Postgres answers the commit of a failed transaction with a rollback, which Prisma takes for a success. So every
  // answer is checked before the batch counts as committed.
  await Promise.allSettled(answers)
  if (failure !== undefined) throw failure
  return result
}

/** Resolves after the tick in which Prisma passes on the statements that were started in this tick. */
const nextTick = () => new Promise<void>(resolve => process.nextTick(() => process.nextTick(resolve)))

const toText = (value: unknown): unknown => (typeof value === 'bigint' ? value.toString() : writeValue(value))

function openPaced(
  tx: Tx,
  shorten: (value: unknown) => unknown,
  onStarted: (answer: Promise<unknown>) => void,
): { tx: PipelinedTx; allStarted(): Promise<void> } {
  // With the codec of pg: a list travels as one text, because Prisma's engine takes twice the CPU over arrays.
  const encode = ({ strings, values }: Sql): Sql =>
    sql(strings, ...values.map(value => shorten(toText(value))))
  let last: Promise<unknown> = Promise.resolve()
  const start = <T>(statement: () => PromiseLike<T>): Promise<T> => {
    const started = last.then(async () => {
      const answer = Promise.resolve(statement())
      onStarted(answer)
      await nextTick()
      return { answer }
    })
    last = started
    return started.then(({ answer }) => answer)
  }
  return {
    tx: {
      $queryRaw: <Rows>(query: TemplateStringsArray | Sql, ...values: unknown[]) =>
        start(() => tx.$queryRaw<Rows>(encode(toStatement(query, values)))),
      $executeRaw: (query, ...values) => start(() => tx.$executeRaw(encode(toStatement(query, values)))),
      // `onStarted` has seen the answer; nobody waits for this promise.
      send: statement => void start(() => tx.$executeRaw(encode(statement))).catch(() => {}),
    },
    allStarted: async () => {
      await last
    },
  }
}
