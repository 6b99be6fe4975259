// Prisma's driver: runs what Prisma Client asks for on pipelined connections of pg. A statement of a transaction is sent without
// waiting for those before it, `begin` too. Beside bare statements of pg, ingest takes 1.15 times the CPU in batches, and 1.5 times for
// a lone event (test/bench/HISTORY.md).
import {
  ColumnTypeEnum,
  DriverAdapterError,
  type IsolationLevel,
  type SqlDriverAdapterFactory,
  type SqlQuery,
  type SqlResultSet,
  type Transaction,
} from '@prisma/driver-adapter-utils'
import type { Socket } from 'node:net'
import pg from 'pg'
import { isConnectionError } from '../errors.js'
import type { Lane, Lanes } from './lanes.js'
import { types } from './pg-codec.js'
import { columnTypeOf, prismaTypes, writeArgument } from './prisma-values.js'
import { PreparedNames, wearsOut } from './prepared-names.js'

type Answer = pg.QueryArrayResult<unknown[]>
/** The types of pg lack the timeout of a single query. */
type TimedQuery = pg.QueryArrayConfig & { query_timeout?: number }

const NAMES = { provider: 'postgres', adapterName: 'payment-tracking' } as const

/** Says an error of pg in Prisma's words. */
function toAdapterError(error: unknown): Error {
  if (isConnectionError(error))
    return new DriverAdapterError({ kind: 'ConnectionClosed', originalMessage: error.message })
  if (!(error instanceof pg.DatabaseError)) return error as Error
  const { code = '', message, severity = '', detail, column, hint } = error
  const said = { code, severity, message, detail, column, hint }
  return new DriverAdapterError({ kind: 'postgres', originalCode: code, originalMessage: message, ...said })
}

/** @param as how values are read */
const toConfig = ({ sql, args, argTypes }: SqlQuery, as: pg.CustomTypesConfig): TimedQuery => ({
  text: sql,
  values: args.map((value, at) => writeArgument(value, argTypes[at])),
  types: as,
  rowMode: 'array',
})

const toResultSet = ({ fields, rows }: Answer): SqlResultSet => ({
  columnNames: fields.map(({ name }) => name),
  columnTypes: fields.map(({ dataTypeID }) => columnTypeOf(dataTypeID)),
  rows,
})

/** The engine passes what is text on as it is: the rows are those of pg. */
const toUnchangedSet = ({ fields, rows }: Answer): SqlResultSet => ({
  columnNames: fields.map(({ name }) => name),
  columnTypes: fields.map(() => ColumnTypeEnum.Text),
  rows,
})

/** What the types of pg lack. */
interface WithStream {
  connection: { stream: Socket }
}

/** Every transaction has this level. By its name it is asked for where a lane waits. */
const LANE_LEVEL: IsolationLevel = 'READ COMMITTED'

const bare = (text: string): TimedQuery => ({ text, rowMode: 'array' })

const ROLLBACK_TO_SAVEPOINT = /^rollback to savepoint /i
const ignore = (): void => {}

class PgTransaction implements Transaction {
  readonly provider = NAMES.provider
  readonly adapterName = NAMES.adapterName
  /** Prisma does not send `commit` and `rollback` itself */
  readonly options = { usePhantomQuery: true }
  /** Of the first statement that failed: it tells the cause. Later ones fail because the transaction is aborted. */
  #failure: Error | undefined
  #isWorn = false
  #hasEnded = false
  #isCorked = false

  constructor(
    private readonly client: pg.PoolClient,
    private readonly names: PreparedNames,
    private readonly lane: Lane | undefined,
  ) {}

  async queryRaw(query: SqlQuery): Promise<SqlResultSet> {
    const isRaw = this.lane?.form === 'raw'
    const answer = this.#run(query, isRaw ? types : prismaTypes)
    return isRaw ? toUnchangedSet(await answer) : toResultSet(await answer)
  }

  async executeRaw(query: SqlQuery): Promise<number> {
    return (await this.#run(query, types)).rowCount ?? 0
  }

  /** @throws the error of the first statement that failed, also when nobody awaited it */
  async commit(): Promise<void> {
    const { command } = await this.#end('commit')
    // After a statement that failed, Postgres answers `commit` with a rollback, not with an error.
    if (command !== 'COMMIT')
      throw this.#failure ?? new DriverAdapterError({ kind: 'TransactionAlreadyClosed', cause: command })
  }

  async rollback(): Promise<void> {
    await this.#end('rollback').catch(ignore)
  }

  async #run(query: SqlQuery, as: pg.CustomTypesConfig): Promise<Answer> {
    // It would be a transaction of its own.
    if (this.#hasEnded) throw new DriverAdapterError({ kind: 'TransactionAlreadyClosed', cause: 'too late' })
    const config = toConfig(query, as)
    const name = this.lane && query.args.length > 0 ? this.names.use(query.sql) : undefined
    const answer = this.send(name === undefined ? config : { ...config, name })
    this.lane?.reach()
    return answer
  }

  /** Ends the transaction and gives the connection back. */
  async #end(text: string): Promise<Answer> {
    const ending = this.send(bare(text))
    this.#hasEnded = true
    try {
      const answer = await ending
      this.client.release(this.#isWorn)
      return answer
    } catch (error) {
      // The transaction ends with the connection.
      this.client.release(true)
      throw error
    }
  }

  /** Sends a statement at once. */
  send(config: TimedQuery): Promise<Answer> {
    this.#cork()
    if (this.lane) config.query_timeout = this.lane.timeoutMs
    this.#isWorn ||= wearsOut(this.client, config)
    const answer = this.client.query<unknown[]>(config).catch((error: unknown) => {
      throw (this.#failure ??= toAdapterError(error))
    })
    // What failed since the savepoint is undone, so it is not why a later statement fails.
    if (ROLLBACK_TO_SAVEPOINT.test(config.text)) answer.then(() => (this.#failure = undefined), ignore)
    else answer.catch(ignore)
    return answer
  }

  /** What is sent in one turn of the event loop is one write. */
  #cork(): void {
    if (this.#isCorked) return
    const { stream } = (this.client as unknown as WithStream).connection
    this.#isCorked = true
    stream.cork()
    setImmediate(() => {
      this.#isCorked = false
      stream.uncork()
    })
  }
}

/** @param pool of pipelined connections */
export function buildAdapter(pool: pg.Pool, lanes: Lanes): SqlDriverAdapterFactory {
  const names = new PreparedNames({ most: 200, every: 2_000 })
  const run = (query: SqlQuery): Promise<Answer> =>
    pool.query<unknown[]>(toConfig(query, prismaTypes)).catch((error: unknown) => {
      throw toAdapterError(error)
    })
  const startTransaction = async (level?: IsolationLevel): Promise<Transaction> => {
    const lane = level === LANE_LEVEL ? lanes.take() : undefined
    const client = await pool.connect().catch((error: unknown) => {
      throw toAdapterError(error)
    })
    const tx = new PgTransaction(client, names, lane)
    // An error fails the statements after it.
    const begin = lane || level === undefined ? 'begin' : `begin isolation level ${level}`
    tx.send(bare([begin, ...(lane?.settings ?? [])].join('; '))).catch(ignore)
    return tx
  }
  const adapter = {
    ...NAMES,
    queryRaw: async (query: SqlQuery) => toResultSet(await run(query)),
    executeRaw: async (query: SqlQuery) => (await run(query)).rowCount ?? 0,
    executeScript: async (script: string) => void (await pool.query(script)),
    startTransaction,
    getConnectionInfo: () => ({ supportsRelationJoins: true }),
    dispose: () => Promise.resolve(),
  }
  return { ...NAMES, connect: () => Promise.resolve(adapter) }
}
