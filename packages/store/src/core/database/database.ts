import { mapStoreErrors } from '../errors.js'
import { loadCompilers } from './lazy-query-compiler.js'
import { numberMessages } from '../tables/messages.js'
import type { PrismaClient } from '../../generated/client.js'
import { runPipelined, type PipelinedLimits } from './pipelined-transactions.js'
import type { Database, RunRead, RunWrite, Sql, Tx } from './sql.js'

/** What a transaction logged has its number in the feeds when it commits. */
const numbering =
  <Own extends Tx, T>(work: (tx: Own) => Promise<T>) =>
  async (tx: Own): Promise<T> => {
    const result = await work(tx)
    await numberMessages(tx)
    return result
  }

export function buildDatabase(
  prisma: PrismaClient,
  parts: {
    pipelined: PipelinedLimits
    prepared: RunWrite
    preparedReads: RunRead
    pipelinedReads: RunRead
  },
): Database {
  return {
    write: <Row>(statement: Sql) => mapStoreErrors(() => prisma.$queryRaw<Row[]>(statement)),
    execute: statement => mapStoreErrors(() => prisma.$executeRaw(statement)),
    withModels: work => mapStoreErrors(() => work(prisma)),
    transaction: (work, limits) =>
      mapStoreErrors(async () => {
        await prisma.$connect()
        loadCompilers()
        return prisma.$transaction(numbering(work), limits)
      }),
    pipelinedTransaction: (work, timeoutMs = parts.pipelined.timeoutMs) =>
      mapStoreErrors(() => runPipelined(prisma, numbering(work), { ...parts.pipelined, timeoutMs })),
    read: (statement, signal) => mapStoreErrors(() => parts.preparedReads(statement, signal)),
    writePrepared: statement => mapStoreErrors(() => parts.prepared(statement)),
    lookUp: (statement, signal) => mapStoreErrors(() => parts.pipelinedReads(statement, signal)),
  }
}

export { PAGE_LIMITS, runIn, type Database, type RunRead, type RunStatement, type RunWrite } from './sql.js'
