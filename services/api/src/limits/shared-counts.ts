// Counts requests per client and minute: immediately in this process, and about every second together with the other
// processes. No request waits for Redis; while Redis is away, each process applies the limit to its own count.
//
// A client is over the limit when the total of all processes at the last exchange, plus this process's count since,
// exceeds the limit. So a process can admit, beyond the limit, as many requests as the other processes admitted since
// the last exchange. With P processes a client never gets more than P times the limit in a minute, and about the limit
// plus the requests that it can send to the other P − 1 processes in one second.
import { repeat, type Logger } from '@payment-tracking/runtime'
import { exchangeCounts, type RedisConnections } from '@payment-tracking/redis'

const EXCHANGE_EVERY_MS = 1_000
/** With more clients than this, the oldest is forgotten, so that memory stays bounded. */
const MOST_CLIENTS = 100_000

interface Count {
  /** the count of all processes at the last exchange, including this process's count until then */
  together: number
  /** this process's count since the last exchange */
  own: number
}

type Done = (error: Error | null, result?: { current: number; ttl: number }) => void

/** The interface that @fastify/rate-limit expects of a store. */
export interface CountStore {
  incr(client: string, done: Done, windowMs: number): void
  child(options: { routeInfo?: { url?: string }; groupId?: string }): CountStore
}

export interface SharedCounts extends CountStore {
  /** Counts further requests of a client. */
  add(client: string, requests: number): void
  /** Exchanges with the other processes now; the timer calls it. */
  exchange(): Promise<void>
  close(): void
}

export interface SharedCountsOptions {
  /** without Redis, each process counts for itself */
  redis: Pick<RedisConnections, 'commands' | 'keys'> | undefined
  log: Pick<Logger, 'warn' | 'info'>
  windowMs: number
  nowMs?: () => number
}

export function openSharedCounts({
  redis,
  log,
  windowMs,
  nowMs = Date.now,
}: SharedCountsOptions): SharedCounts {
  let windowNumber = Math.floor(nowMs() / windowMs)
  let counts = new Map<string, Count>()
  let inExchange: Promise<void> | undefined
  let isTogether = true

  const turnWindow = () => {
    const current = Math.floor(nowMs() / windowMs)
    if (current === windowNumber) return
    windowNumber = current
    counts = new Map()
  }

  const countOf = (client: string): Count => {
    let count = counts.get(client)
    if (!count) {
      if (counts.size >= MOST_CLIENTS) counts.delete(counts.keys().next().value!)
      count = { together: 0, own: 0 }
      counts.set(client, count)
    }
    return count
  }

  const exchangeOnce = async () => {
    turnWindow()
    const mine = counts
    const deltas = new Map(
      [...mine].filter(([, { own }]) => own > 0).map(([client, { own }]) => [client, own]),
    )
    if (!redis || deltas.size === 0) return
    try {
      const totals = await exchangeCounts(redis, { number: windowNumber, lengthMs: windowMs }, deltas)
      for (const [client, together] of totals) {
        const count = mine.get(client)
        if (!count) continue
        count.own -= deltas.get(client)!
        count.together = together
      }
      if (!isTogether) log.info({}, 'limits.together-again')
      isTogether = true
    } catch (err) {
      if (isTogether) log.warn({ err }, 'limits.alone')
      isTogether = false
    }
  }

  const exchange = () =>
    (inExchange ??= exchangeOnce().finally(() => {
      inExchange = undefined
    }))
  const exchanging = repeat({
    everyMs: EXCHANGE_EVERY_MS,
    ref: false,
    run: exchange,
    onError: err => log.warn({ err }, 'limits.not-exchanged'),
  })
  exchanging.start()

  const add = (client: string, requests: number): Count => {
    turnWindow()
    const count = countOf(client)
    count.own += requests
    return count
  }

  const storeOf = (prefix: string): CountStore => ({
    incr(client, done) {
      const count = add(prefix + client, 1)
      done(null, { current: count.together + count.own, ttl: windowMs - (nowMs() % windowMs) })
    },
    // Routes with their own limit count separately; a group (the client's key holds its name) counts as one route.
    child: ({ routeInfo, groupId }) => storeOf(groupId === undefined ? `${routeInfo?.url ?? ''} ` : ''),
  })

  return { ...storeOf(''), add, exchange, close: () => void exchanging.stop() }
}
