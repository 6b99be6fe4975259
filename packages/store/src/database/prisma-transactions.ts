// Transactions of Prisma's client on pipelined connections: a statement is sent without waiting for the answer to the
// one before. Prisma runs the statements of one tick of the event loop one after the other, each waiting for its answer;
// so each statement starts in a tick of its own. Were a release of Prisma to change that, only speed would suffer.
import type pg from 'pg'
import { PrismaClient } from '../generated/client.js'
import { buildAdapter } from './build-adapter.js'
import { writeValue } from './pg-codec.js'
import type { PipelinedTransactions, PipelinedTx } from './pipelined-transactions.js'
import { sql, toStatement, type Sql, type Tx } from './sql.js'

/** The longest wait for the connection: it is free unless another transaction of this process runs. */
const MAX_WAIT_MS = 10_000

export interface PrismaTransactions extends PipelinedTransactions {
  close(): Promise<void>
}

/** @param pool of pipelined connections; its `query_timeout` ends a statement that waits too long */
export function openPrismaTransactions(pool: pg.Pool): PrismaTransactions {
  const prisma = new PrismaClient({
    adapter: buildAdapter(pool),
    errorFormat: 'minimal',
  })
  return {
    async transaction(work, timeoutMs) {
      let failure: Error | undefined
      const onFailure = (error: Error) => (failure ??= error)
      const answers: Promise<unknown>[] = []
      const run = async (tx: Tx) => {
        const paced = openPaced(tx, answer => {
          answer.catch(onFailure)
          answers.push(answer)
        })
        // Prisma closes the transaction behind the last statement that started.
        return await work(paced.tx).finally(() => paced.allStarted())
      }
      const result = await prisma
        .$transaction(run, { timeout: timeoutMs, maxWait: MAX_WAIT_MS })
        .catch((error: unknown) => {
          throw failure ?? error
        })
      // Postgres answers the commit of a failed transaction with a rollback, which Prisma takes for a success. So every
      // answer is looked at before the batch counts as committed.
      await Promise.allSettled(answers)
      if (failure !== undefined) throw failure
      return result
    },
    close: () => prisma.$disconnect(),
  }
}

/** The tick after the one in which Prisma passes on what was started in this one. */
const nextTurn = () => new Promise<void>(resolve => process.nextTick(() => process.nextTick(resolve)))

/** With the codec of pg: a list travels as one text, because Prisma's engine takes twice the CPU over arrays. */
const encode = ({ strings, values }: Sql): Sql => sql(strings, ...values.map(toText))
const toText = (value: unknown): unknown => (typeof value === 'bigint' ? value.toString() : writeValue(value))

function openPaced(
  tx: Tx,
  onStarted: (answer: Promise<unknown>) => void,
): { tx: PipelinedTx; allStarted(): Promise<void> } {
  let last: Promise<unknown> = Promise.resolve()
  const start = <T>(statement: () => PromiseLike<T>): Promise<T> => {
    const started = last.then(async () => {
      const answer = Promise.resolve(statement())
      onStarted(answer)
      await nextTurn()
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
