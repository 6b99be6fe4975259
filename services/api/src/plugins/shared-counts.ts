// Counts requests per client and minute: at once and by itself, and about every second together with the other
// processes. Nothing waits for Redis; while it is away, each process limits by what it sees itself.
//
// A client is over the limit when what all processes had counted at the last exchange, and what this one
// counted since, exceeds it. So a process can let through, beyond the limit, what the others let through since
// the last exchange; with P processes a client never gets more than P times the limit in a minute, and about
// the limit plus what it can send to the other P − 1 in one second.
import type { Logger } from '@payment-tracking/runtime'
import { exchangeCounts, type RedisConnections } from '@payment-tracking/redis'

const EXCHANGE_EVERY_MS = 1_000
/** A flood of addresses forgets the oldest, not the process's memory. */
const MOST_CLIENTS = 100_000

interface Count {
  /** of all processes at the last exchange; includes what this one had counted by then */
  together: number
  /** counted here since */
  own: number
}

type Done = (error: Error | null, result?: { current: number; ttl: number }) => void

/** What @fastify/rate-limit asks of a store. */
export interface CountStore {
  incr(client: string, done: Done, windowMs: number): void
  child(options: { routeInfo?: { url?: string }; groupId?: string }): CountStore
}

export interface SharedCounts extends CountStore {
  /** Exchanges with the other processes now; the timer calls it. */
  exchange(): Promise<void>
  close(): void
}

export interface SharedCountsOptions {
  /** without it each process counts for itself */
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
  let exchanging: Promise<void> | undefined
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
    (exchanging ??= exchangeOnce().finally(() => {
      exchanging = undefined
    }))
  const timer = setInterval(() => void exchange(), EXCHANGE_EVERY_MS)
  timer.unref()

  const storeOf = (prefix: string): CountStore => ({
    incr(client, done) {
      turnWindow()
      const count = countOf(prefix + client)
      count.own += 1
      done(null, { current: count.together + count.own, ttl: windowMs - (nowMs() % windowMs) })
    },
    // Routes with a limit of their own count apart; a group (its name is in the client's key) counts as one.
    child: ({ routeInfo, groupId }) => storeOf(groupId === undefined ? `${routeInfo?.url ?? ''} ` : ''),
  })

  return { ...storeOf(''), exchange, close: () => clearInterval(timer) }
}
