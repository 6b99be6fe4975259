// The transactions of ingest: Prisma's, whose statements are sent without waiting for each other, so that this process and Postgres
// work at the same time.
import type { Prisma, PrismaClient } from '../../generated/client.js'
import { Lane, type Lanes } from './lanes.js'
import { writeValue } from './pg-codec.js'
import { asOne, toStatement, type PipelinedTx, type Sql } from './sql.js'

/** Ingest reads only by key, and a plan must not follow from how full a table is. */
const BY_INDEX = 'set local enable_seqscan = off'

/** Postgres limits how long a transaction is idle, and each statement has its own limit: Prisma's timers end nothing. */
const NEVER = 2 ** 31 - 1

export interface PipelinedLimits {
  /** those that the driver knows: one process runs one transaction of ingest at a time */
  lanes: Lanes
  /** the longest wait for the answer to one statement. Then the connection is cut, which rolls the transaction back */
  timeoutMs: number
  /** the longest that a transaction may be idle, where the session does not set it */
  idleMs: number | undefined
}

/**
 * Commits everything that `work` did and sent, or nothing.
 * @throws the error of the first statement that failed, or else the error of `work`
 */
export function runPipelined<T>(
  prisma: PrismaClient,
  work: (tx: PipelinedTx) => Promise<T>,
  { lanes, timeoutMs, idleMs }: PipelinedLimits,
): Promise<T> {
  const idle = idleMs === undefined ? [] : [`set local idle_in_transaction_session_timeout = ${idleMs}`]
  const lane = new Lane([BY_INDEX, ...idle], timeoutMs)
  return lanes.run(lane, () =>
    prisma.$transaction(
      async client => {
        const result = await work(openTx(client, lane))
        await lane.drain()
        return result
      },
      { maxWait: NEVER, timeout: NEVER, isolationLevel: 'ReadCommitted' },
    ),
  )
}

/** For the client: the text once, and values that need no other encoding. */
const encode = ({ text, values }: Sql): Sql =>
  ({ text, sql: text, values: values.map(writeValue) }) as unknown as Sql

const ignore = (): void => {}

function openTx(client: Prisma.TransactionClient, lane: Lane): PipelinedTx {
  let gathered: Sql[] | undefined
  const execute = (statement: Sql) => lane.call('raw', () => client.$executeRaw(encode(statement)))
  const send = (statement: Sql) => void execute(statement).catch(ignore)
  return {
    $queryRaw: <Rows>(query: TemplateStringsArray | Sql, ...values: unknown[]) => {
      const statement = encode(toStatement(query, values))
      return lane.call('raw', () => client.$queryRaw<Rows>(statement))
    },
    $executeRaw: (query, ...values) => execute(toStatement(query, values)),
    send: statement => (gathered ? void gathered.push(statement) : send(statement)),
    together: work => {
      gathered = []
      work()
      const statements = gathered
      gathered = undefined
      if (statements.length > 0) send(asOne(statements))
    },
    sendModel: write => void lane.call('model', () => write(client)).catch(ignore),
    withModels: work => lane.call('model', () => work(client)),
  }
}

export type { PipelinedTx } from './sql.js'
