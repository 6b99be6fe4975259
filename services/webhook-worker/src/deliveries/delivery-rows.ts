import { coalesce, type Logger } from '@payment-tracking/runtime'
import {
  claimDeliveries,
  deactivateWebhooks,
  deliveryKey,
  finishAttempts,
  holdDeliveries,
  noteWebhookHealth,
  type AttemptResult,
  type Claim,
  type FinishedAttempt,
  type Hold,
  type Store,
} from '@payment-tracking/store'
import type { DeliveryMetrics } from './delivery-metrics.js'
import { writeResults } from './write-results.js'

/** A delivery that was held for this long is tried whatever holds it: within 24 h, as promised. */
export const HELD_AT_MOST_MS = 23 * 3_600_000
/** A webhook that has known nothing but failures for this long is deactivated. */
const FAILING_LIMIT_MS = 5 * 86_400_000

/** Reads and writes rows of deliveries. Concurrent calls share one statement. */
export interface DeliveryRows {
  claim(id: string): Promise<Claim>
  /** @returns undefined when there was nothing to hold */
  hold(hold: Hold): Promise<{ heldForMs: number } | undefined>
  /**
   * Waits for a database that is away for as long as the process lives: the request was made, so its result must be
   * written.
   * @returns undefined when the delivery is gone (with commits that the database lost, for example), or its result alone can never be written
   */
  finish(result: AttemptResult): Promise<FinishedAttempt | undefined>
}

const LIMITS = { maxItems: 256, concurrency: 2 }

export function buildDeliveryRows(options: {
  store: Store
  leaseMs: number
  metrics: DeliveryMetrics
  log: Logger
}): DeliveryRows {
  const { store, log, metrics } = options

  const claim = coalesce<string, Claim>(async ids => {
    // If one delivery is asked for twice, one caller gets it and the other finds nothing to do.
    const found = new Map<string, Claim>()
    for (const row of await claimDeliveries(store, [...new Set(ids)], options.leaseMs))
      found.set((row.kind === 'claimed' ? row.delivery.id : row.id).toString(), row)
    return ids.map(id => {
      const row = found.get(id)
      found.delete(id)
      return row ?? { kind: 'nothing', id: BigInt(id), state: 'claimed' }
    })
  }, LIMITS)

  const hold = coalesce<Hold, { heldForMs: number } | undefined>(async wanted => {
    const held = await holdDeliveries(
      store,
      [...new Map(wanted.map(row => [row.id, row])).values()],
      HELD_AT_MOST_MS,
    )
    const byId = new Map(held.map(row => [row.id.toString(), row]))
    return wanted.map(({ id }) => byId.get(id))
  }, LIMITS)

  const deactivate = async (webhookIds: bigint[], reason: 'gone' | 'failing') => {
    for (const id of await deactivateWebhooks(store, webhookIds, reason)) {
      metrics.deactivated.inc({ reason })
      log.warn({ webhookId: id.toString(), reason }, 'webhook.deactivated')
    }
  }

  /** What results say of the webhooks themselves. Writes only where something changes. */
  const judge = async (finished: readonly FinishedAttempt[]) => {
    const gone = ids(finished.filter(row => row.outcome === 'gone'))
    const succeeded = ids(finished.filter(row => row.outcome === 'accepted' && row.failingSince !== null))
    const longAgo = Date.now() - FAILING_LIMIT_MS
    // A webhook is judged when a delivery has spent its tries, not by one bad answer after weeks of silence.
    const failed = ids(
      finished.filter(
        ({ outcome, state, failingSince }) =>
          outcome === 'refused' &&
          (failingSince === null || (state === 'failed' && failingSince.getTime() < longAgo)),
      ),
    ).filter(id => !finished.some(row => row.webhookId === id && row.outcome === 'accepted'))
    if (gone.length > 0) await deactivate(gone, 'gone')
    if (succeeded.length + failed.length === 0) return
    const failing = await noteWebhookHealth(store, { failed, succeeded }, FAILING_LIMIT_MS)
    if (failing.length > 0) await deactivate(failing, 'failing')
  }

  const finish = coalesce<AttemptResult, FinishedAttempt | undefined>(async set => {
    const finished = await writeResults(results => finishAttempts(store, results), set, { log, metrics })
    // The results stand: a webhook that cannot be judged now is judged at its next result.
    await judge(finished).catch((err: unknown) => log.warn({ err }, 'webhook.health-not-written'))
    const byDelivery = new Map(finished.map(row => [deliveryKey(row), row]))
    return set.map(result => byDelivery.get(deliveryKey(result)))
  }, LIMITS)

  return { claim, hold, finish }
}

const ids = (rows: readonly FinishedAttempt[]): bigint[] => [...new Set(rows.map(row => row.webhookId))]
