// Starts private servers again that die while the stack runs, on the same port and with their data.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Servers, RunningServer } from '../servers/index.js'

const CHECK_EVERY_MS = 300
/** Deaths in a row, each within this time of the last start, after which an operator has to look. */
const GIVE_UP_AFTER = 5
const SOON_MS = 20_000

export interface KeptServers {
  /** Rejects when a server keeps dying or cannot be started again; never resolves otherwise. */
  readonly failed: Promise<never>
  /** Starts no server from now on; resolves when no start is in progress. */
  release(): Promise<void>
}

/** @param log gets a line for each restarted server */
export function keepServers(servers: Servers['private'], log: (line: string) => void): KeptServers {
  const released = new AbortController()
  const keep = async (server: RunningServer) => {
    let deaths = 0
    let startedAt = 0
    while (!released.signal.aborted) {
      if (server.isAlive()) {
        await sleep(CHECK_EVERY_MS, undefined, { signal: released.signal }).catch(() => {})
        continue
      }
      deaths = Date.now() - startedAt < SOON_MS ? deaths + 1 : 1
      if (deaths > GIVE_UP_AFTER)
        throw new Error(`${server.title} ended ${deaths} times in a row; its log is ${server.logFile}`)
      log(`${server.title} ended; starting it again (its log: ${server.logFile})`)
      await server.restart()
      startedAt = Date.now()
      log(`${server.title} runs again on port ${server.port}`)
    }
  }
  const keeping = Promise.all(Object.values(servers).map(keep))
  const failed = keeping.then(() => new Promise<never>(() => {}))
  failed.catch(() => {})
  return {
    failed,
    async release() {
      released.abort()
      await keeping.catch(() => {})
    },
  }
}
