// Lookups share a few connections that pipeline: a statement goes out without waiting for the answer to the one before,
// so that Postgres finds the next where it would go to sleep, and wakes once for several. Taking turns in the pool, a
// lookup costs it up to twice the CPU, and this process a quarter more.
//
// What is on a line waits for all that is before it, so only what is answered at once may go this way.
import pg from 'pg'
import { sqlStateOf } from './errors.js'

/** One connection answers more lookups than a process can ask for; two, so that one that breaks is not all. */
const LINES = 2
/** What comes while a line is this far behind goes to the pool. */
const MOST_ON_THE_WAY = 64

/** A statement whose preparation failed fails those behind it that rely on it: they are told that there is none. */
const NOT_PREPARED = '26000'

type Ask = (config: pg.QueryConfig) => Promise<pg.QueryResult<Record<string, unknown>>>

export interface Lookups {
  query: Ask
  /** Lines that are open (none before the first lookup), and those of them that are asked something. */
  use(): { open: number; inUse: number }
  close(): Promise<void>
}

/** A connection that is opened when it is first needed, and anew after it broke. */
class Line {
  onTheWay = 0
  #client: Promise<pg.Client> | undefined

  constructor(private readonly settings: pg.ClientConfig) {}

  get isOpen(): boolean {
    return this.#client !== undefined
  }

  readonly ask: Ask = async config => {
    this.onTheWay += 1
    try {
      const client = await (this.#client ??= this.#connect())
      return await client.query<Record<string, unknown>>(config)
    } finally {
      this.onTheWay -= 1
    }
  }

  #connect(): Promise<pg.Client> {
    const client = new pg.Client(this.settings)
    const connected = client.connect().then(() => client)
    const forget = () => {
      if (this.#client === connected) this.#client = undefined
    }
    // What breaks is told by the statements that were on their way.
    client.on('error', () => {
      forget()
      void client.end()
    })
    client.on('end', forget)
    connected.catch(forget)
    return connected
  }

  async close(): Promise<void> {
    const client = await this.#client?.catch(() => undefined)
    await client?.end()
  }
}

/** @param pool takes what the lines cannot */
export function openLookups(settings: pg.ClientConfig, pool: pg.Pool): Lookups {
  const lines = Array.from({ length: LINES }, () => new Line({ ...settings, pipeline: true }))
  return {
    async query(config) {
      const line = lines.reduce((best, each) => (each.onTheWay < best.onTheWay ? each : best))
      if (line.onTheWay >= MOST_ON_THE_WAY) return pool.query(config)
      return line.ask(config).catch((error: unknown) => {
        if (sqlStateOf(error) === NOT_PREPARED) return pool.query(config)
        throw error
      })
    },
    use: () => ({
      open: lines.filter(({ isOpen }) => isOpen).length,
      inUse: lines.filter(({ onTheWay }) => onTheWay > 0).length,
    }),
    close: async () => {
      await Promise.all(lines.map(line => line.close()))
    },
  }
}
