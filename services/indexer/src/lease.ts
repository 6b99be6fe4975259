// Decides which of several indexers works. One key holds the holder's name, and the holder renews the key by
// compare-and-set. A rival takes the key when its revision did not change for TAKEOVER_MS on the rival's own clock. Time
// in which NATS did not answer does not count: the holder could not renew either, as while a cluster elects a leader. No
// clocks are compared, and no server has to expire anything (nats-server#3653: it may fail to). The holder stops
// working before a rival may begin, and goes on with the lease when it is the first to reach NATS again.
import { RevisionConflictError, type KeyValue } from '@payment-tracking/bus'
import type { Logger } from '@payment-tracking/runtime'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

const RENEW_MS = 3_000
/** After a failed renewal. */
const RETRY_MS = 500
/** The holder stops when it could not renew for this long. */
const GIVE_UP_MS = 9_000
const TAKEOVER_MS = 12_000
const CHECK_MS = 1_000
const KEY = 'lease'

export class Lease {
  readonly #name = randomUUID()
  #revision = 0

  constructor(
    private readonly keys: KeyValue,
    private readonly log: Logger,
  ) {}

  /** Waits until this process may work. @throws AbortError when the signal aborts first */
  async acquire(signal: AbortSignal): Promise<void> {
    let seen: { revision: number; since: number } | undefined
    for (;;) {
      signal.throwIfAborted()
      try {
        const entry = await this.keys.get(KEY)
        const revision = entry?.revision ?? 0
        if (seen?.revision !== revision) seen = { revision, since: performance.now() }
        const isFree = !entry || entry.value === '' || entry.value === this.#name
        if (isFree || performance.now() - seen.since >= TAKEOVER_MS) {
          this.#revision = await this.keys.set(KEY, this.#name, revision)
          this.log.info({ takenOver: !isFree }, 'indexer.leading')
          return
        }
      } catch (err) {
        seen = undefined
        if (!(err instanceof RevisionConflictError)) this.log.warn({ err }, 'indexer.lease-unavailable')
      }
      await sleep(CHECK_MS, undefined, { signal })
    }
  }

  /**
   * Renews until the signal aborts; calls `onLost` once when another process has the lease or the renewal failed too
   * long.
   */
  keep(signal: AbortSignal, onLost: (reason: string) => void): void {
    void (async () => {
      let renewedAt = performance.now()
      let failures = 0
      while (!signal.aborted) {
        await sleep(failures > 0 ? RETRY_MS : RENEW_MS, undefined, { signal }).catch(() => {})
        if (signal.aborted) return
        const givenUp = new Promise<'late'>(resolve => {
          const leftMs = Math.max(0, GIVE_UP_MS - (performance.now() - renewedAt))
          setTimeout(() => resolve('late'), leftMs).unref()
        })
        const startedAt = performance.now()
        try {
          const renewed = await Promise.race([this.keys.set(KEY, this.#name, this.#revision), givenUp])
          if (renewed === 'late') return onLost('the lease could not be renewed in time')
          this.#revision = renewed
          renewedAt = startedAt
          failures = 0
        } catch (err) {
          failures++
          if (err instanceof RevisionConflictError) {
            // A renewal with a lost answer counts if the key still holds this process's name.
            const entry = await this.keys.get(KEY).catch(() => 'unknown' as const)
            if (entry !== 'unknown') {
              if (entry?.value !== this.#name) return onLost('another indexer has taken the lease')
              this.#revision = entry.revision
            }
          }
          if (performance.now() - renewedAt >= GIVE_UP_MS)
            return onLost('the lease could not be renewed in time')
        }
      }
    })()
  }

  /** Releases the lease, so that a rival need not wait. */
  async release(): Promise<void> {
    await this.keys.set(KEY, '', this.#revision).catch(() => {})
  }
}
