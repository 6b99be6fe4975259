// Lookups share two pipelined connections: a statement is sent without waiting for the answer to the one before. So
// Postgres finds the next statement where it would go to sleep, and wakes once for several. Through the pool a lookup
// costs Postgres up to twice the CPU, and this process a quarter more.
//
// A statement waits for every statement before it on the connection, so only statements that Postgres answers at once
// may use this pool.
import pg from 'pg'
import { sqlStateOf } from '../errors.js'
import type { Connections } from './pool-queries.js'
import { wearsOut } from './prepared-names.js'

/** One connection answers more lookups than a process sends. The second connection covers a break of the first. */
const CONNECTIONS = 2
/** When both connections have this many unanswered statements, the pool takes the next statement. */
const MOST_UNANSWERED = 64

/** A failed preparation fails the statements after it that use the same name, with this SQLSTATE. */
const NOT_PREPARED = '26000'

type Query = (config: pg.QueryConfig) => Promise<pg.QueryResult<Record<string, unknown>>>

export interface PipelinedReads {
  query: Query
  /** Open connections (none before the first lookup), and how many of them have unanswered statements. */
  use(): { open: number; inUse: number }
  close(): Promise<void>
}

type Greet = (client: pg.ClientBase) => Promise<void>

/** A connection that opens at its first statement, and again after it broke. */
class PipelinedConnection {
  unanswered = 0
  #client: Promise<pg.Client> | undefined

  constructor(
    private readonly settings: pg.ClientConfig,
    private readonly greet: Greet | undefined,
  ) {}

  get isOpen(): boolean {
    return this.#client !== undefined
  }

  readonly query: Query = async config => {
    this.unanswered += 1
    try {
      const client = await (this.#client ??= this.#connect())
      const answer = client.query<Record<string, unknown>>(config)
      if (wearsOut(client, config)) void this.#replace(client)
      return await answer
    } finally {
      this.unanswered -= 1
    }
  }

  #connect(): Promise<pg.Client> {
    const client = new pg.Client(this.settings)
    const connected = client
      .connect()
      .then(() => this.greet?.(client))
      .then(() => client)
    const forget = () => {
      if (this.#client === connected) this.#client = undefined
    }
    // A break rejects the unanswered statements, so their callers get the error.
    client.on('error', () => {
      forget()
      void client.end()
    })
    client.on('end', forget)
    connected.catch(() => {
      forget()
      void client.end()
    })
    return connected
  }

  /** The next statement opens another connection. This one ends after the last of its statements. */
  async #replace(client: pg.Client): Promise<void> {
    this.#client = undefined
    // Statements that have this connection are sent before the first of these answers, so the second answer is the last.
    for (let n = 0; n < 2; n += 1) await client.query('select').catch(() => {})
    await client.end()
  }

  async close(): Promise<void> {
    const client = await this.#client?.catch(() => undefined)
    await client?.end()
  }
}

/**
 * @param pool runs the statements that the two connections cannot take
 * @param greet called with each new connection before its first statement
 */
export function openPipelinedReads(
  settings: pg.ClientConfig,
  pool: Connections,
  greet?: Greet,
): PipelinedReads {
  const connections = Array.from(
    { length: CONNECTIONS },
    () => new PipelinedConnection({ ...settings, pipeline: true }, greet),
  )
  return {
    async query(config) {
      const best = connections.reduce((least, each) => (each.unanswered < least.unanswered ? each : least))
      if (best.unanswered >= MOST_UNANSWERED) return pool.query(config)
      return best.query(config).catch((error: unknown) => {
        if (sqlStateOf(error) === NOT_PREPARED) return pool.query(config)
        throw error
      })
    },
    use: () => ({
      open: connections.filter(({ isOpen }) => isOpen).length,
      inUse: connections.filter(({ unanswered }) => unanswered > 0).length,
    }),
    close: async () => {
      await Promise.all(connections.map(each => each.close()))
    },
  }
}
