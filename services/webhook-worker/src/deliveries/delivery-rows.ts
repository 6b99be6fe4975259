import { isEndpointFailure } from '@payment-tracking/domain'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DeliveryQueue } from '@payment-tracking/queue'
import { coalesce, type Logger } from '@payment-tracking/runtime'
import {
  claimDeliveries,
  deactivateWebhooks,
  deliveryKey,
  findCurrentClaims,
  finishAttempts,
  deferDeliveries,
  noteWebhookHealth,
  putBackDeliveries,
  makeNextDue,
  readEndpointRates,
  recallDeferred,
  type AttemptResult,
  type Claim,
  type ClaimedDelivery,
  type FinishedAttempt,
  type Deferral,
  type EndpointRate,
  type PutBack,
} from '@payment-tracking/store/deliveries'
import { type Store } from '@payment-tracking/store/core'
import { RECALLED } from '../endpoints/permits.js'
import type { DeliveryMetrics } from './delivery-metrics.js'
import { Readings } from './readings.js'
import { writeResults } from './write-results.js'

/** After this time a deferred delivery is tried in any case, as promised: within 24 h. */
export const DEFERRED_AT_MOST_MS = 23 * 3_600_000
/** A webhook whose every attempt fails for this long is deactivated. */
const FAILING_LIMIT_MS = 5 * 86_400_000

/** Reads and writes rows of deliveries. Concurrent calls share one statement. */
export interface DeliveryRows {
  claim(id: string): Promise<Claim>
  /** What decides the rate of an endpoint. */
  readEndpoint(webhookId: string): Promise<EndpointRate>
  /** @returns undefined when there was no row to defer */
  defer(deferral: Deferral): Promise<{ deferredForMs: number } | undefined>
  /** When the webhook of a claimed delivery was last read with the URL and the secret of the claim, and on; of `performance.now()`. */
  lastReadMs(claimed: ClaimedDelivery): number
  /** Reads whether the webhook of a claimed delivery is still on, with the URL and the secret of the claim. */
  isCurrent(claimed: ClaimedDelivery): Promise<boolean>
  /** Makes deferred deliveries of an endpoint that answers due, and promotes their jobs. @returns how many */
  recall(webhookId: string, most: number): Promise<number>
  /** Gives a claim back whose request did not leave. */
  putBack(claimed: PutBack): Promise<void>
  /**
   * Waits without limit while the database is away: the request was sent, so its result must be written.
   * @returns undefined when the delivery is gone (for example, with commits that the database lost), or when Postgres
   *   refuses this result alone
   */
  finish(result: AttemptResult): Promise<FinishedAttempt | undefined>
  /** Promotes the job of the delivery after this one, of a webhook with ordered delivery. */
  promoteNext(ended: ClaimedDelivery): Promise<void>
}

/** Of a webhook that is gone, nothing can be claimed. */
const UNKNOWN: EndpointRate = { ratePerSecond: null, format: 'standard' }
const LIMITS = { maxItems: 256, concurrency: 2 }

export function buildDeliveryRows(options: {
  store: Store
  queue: Pick<DeliveryQueue, 'promoteDeliveries'>
  leaseMs: number
  metrics: DeliveryMetrics
  log: Logger
}): DeliveryRows {
  const { store, log, metrics } = options
  const readings = new Readings()

  const claim = coalesce<string, Claim>(async ids => {
    // If two callers ask for one delivery, one caller gets the delivery and the other caller finds nothing to do.
    const found = new Map<string, Claim>()
    const atMs = performance.now()
    for (const row of await claimDeliveries(store, [...new Set(ids)], options.leaseMs)) {
      found.set((row.kind === 'claimed' ? row.delivery.id : row.id).toString(), row)
      if (row.kind === 'claimed') readings.note(row.delivery, atMs)
    }
    return ids.map(id => {
      const row = found.get(id)
      found.delete(id)
      return row ?? { kind: 'nothing', id: BigInt(id), state: 'claimed' }
    })
  }, LIMITS)

  const defer = coalesce<Deferral, { deferredForMs: number } | undefined>(async wanted => {
    const deferred = await deferDeliveries(
      store,
      [...new Map(wanted.map(row => [row.id, row])).values()],
      DEFERRED_AT_MOST_MS,
    )
    const byId = new Map(deferred.map(row => [row.id.toString(), row]))
    return wanted.map(({ id }) => byId.get(id))
  }, LIMITS)

  const readEndpoint = coalesce<string, EndpointRate>(async webhookIds => {
    const found = new Map((await readEndpointRates(store, webhookIds)).map(row => [row.id.toString(), row]))
    return webhookIds.map(id => found.get(id) ?? UNKNOWN)
  }, LIMITS)

  const isCurrent = coalesce<ClaimedDelivery, boolean>(async claimed => {
    const atMs = performance.now()
    // One delivery of each webhook is asked about. The answer holds for all whose claims read the same URL, secret and activation.
    const asked = [...new Map(claimed.map(delivery => [delivery.webhookId, delivery])).values()]
    // While Postgres does not answer, what was read last holds.
    const current = new Set(await findCurrentClaims(store, asked).catch(() => asked.map(({ id }) => id)))
    for (const delivery of asked) if (current.has(delivery.id)) readings.note(delivery, atMs)
    return claimed.map(delivery => readings.lastMs(delivery) >= atMs)
  }, LIMITS)

  const putBack = coalesce<PutBack, void>(async claimed => {
    await putBackDeliveries(store, claimed)
    return claimed.map(() => undefined)
  }, LIMITS)

  const recall = async (webhookId: string, most: number) => {
    const recalled = await recallDeferred(store, webhookId, { reason: RECALLED, most })
    await options.queue.promoteDeliveries(recalled)
    return recalled.length
  }

  const deactivate = async (webhookIds: bigint[], reason: 'gone' | 'failing') => {
    for (const id of await deactivateWebhooks(store, webhookIds, reason)) {
      metrics.deactivated.inc({ reason })
      log.warn({ webhookId: id.toString(), reason }, 'webhook.deactivated')
    }
  }

  /** Applies results to the webhooks themselves. Writes only changed webhooks. */
  const judge = async (finished: readonly FinishedAttempt[]) => {
    const gone = ids(finished.filter(row => row.outcome === 'gone'))
    const succeeded = ids(finished.filter(row => row.outcome === 'accepted' && row.failingSince !== null))
    const longAgo = Date.now() - FAILING_LIMIT_MS
    // A webhook is judged when a delivery has used all its tries, not after one bad answer that follows weeks of
    // silence.
    const accepted = new Set(ids(finished.filter(row => row.outcome === 'accepted')))
    const failures = finished.filter(
      ({ outcome, statusCode, webhookId }) =>
        outcome === 'refused' && isEndpointFailure(statusCode) && !accepted.has(webhookId),
    )
    const lost = failures.filter(({ state }) => state === 'failed')
    const failed = ids([
      ...failures.filter(({ failingSince }) => failingSince === null),
      ...lost.filter(({ failingSince, isLossNoted }) => !isLossNoted || failingSince!.getTime() < longAgo),
    ])
    if (gone.length > 0) await deactivate(gone, 'gone')
    if (succeeded.length + failed.length === 0) return
    const health = { failed, lost: ids(lost), succeeded }
    const failing = await noteWebhookHealth(store, health, FAILING_LIMIT_MS)
    if (failing.length > 0) await deactivate(failing, 'failing')
  }

  const finish = coalesce<AttemptResult, FinishedAttempt | undefined>(async set => {
    const finished = await writeResults(results => finishAttempts(store, results), set, { log, metrics })
    // The results are written. A webhook that cannot be judged now is judged at its next result.
    await judge(finished).catch((err: unknown) => log.warn({ err }, 'webhook.health-not-written'))
    const byDelivery = new Map(finished.map(row => [deliveryKey(row), row]))
    return set.map(result => byDelivery.get(deliveryKey(result)))
  }, LIMITS)

  const promoteNext = async (ended: ClaimedDelivery) => {
    let next = await makeNextDue(store, ended)
    // A worker that has just read that it must wait would delay its job after this.
    for (const forMs of [0, 50, 500]) {
      if (forMs > 0) await sleep(forMs)
      next = await options.queue.promoteDeliveries(next)
      if (next.length === 0) return
    }
  }

  return {
    claim,
    readEndpoint,
    defer,
    recall,
    lastReadMs: claimed => readings.lastMs(claimed),
    isCurrent,
    putBack,
    finish,
    promoteNext,
  }
}

const ids = (rows: readonly FinishedAttempt[]): bigint[] => [...new Set(rows.map(row => row.webhookId))]
