// One delivery, step by step: the limiter gives a permit; the claim of the row writes the attempt; the request is sent; its result is
// written.
import type { DeliverJob } from '@payment-tracking/contracts'
import { isForPeople, nextDeliveryState, RETRY_AFTER_MAX_MS, retryDelayMs } from '@payment-tracking/domain'
import type { DeliveryEnd } from '@payment-tracking/queue'
import type { Logger } from '@payment-tracking/runtime'
import type { AttemptResult, ClaimedDelivery } from '@payment-tracking/store/deliveries'
import type { EndpointLimiter, Deferral, Permit } from '../endpoints/permits.js'
import type { Answer } from '../requests/send-delivery.js'
import type { DeliveryMetrics } from './delivery-metrics.js'
import { DEFERRED_AT_MOST_MS, type DeliveryRows } from './delivery-rows.js'

/** How long a delivery waits for the proxy of WEBHOOK_PROXY_URL, at least. */
const PROXY_AGAIN_MS = 5_000
/** What Slack and Discord take of a webhook whose owner chose no rate. */
const PEOPLE_PER_SECOND = 1

/**
 * How old the reading of a webhook may be when its request begins; else the webhook is read again. Once a webhook is off or has
 * another URL or secret, no request as before may begin later than 100 ms after the answer that says so (contract.md section 6).
 */
const TRUSTED_FOR_MS = 75
/** After so many readings for it alone, a request begins in any case: Postgres itself takes longer than TRUSTED_FOR_MS. */
const MOST_READINGS = 2
/** The webhook changed after the claim: the delivery is due at once, and its next claim reads what is true now. */
const CHANGED: Deferral = { kind: 'defer', forMs: 0, reason: 'endpoint changed' }

type Queued = Pick<DeliverJob, 'deliveryId' | 'webhookId'>

/** @returns requests a second to an endpoint; null: as many as this process may send */
export const chosenRate = (webhook: { ratePerSecond: number | null; format: string }): number | null =>
  webhook.ratePerSecond ?? (isForPeople(webhook.format) ? PEOPLE_PER_SECOND : null)

export interface DeliverOptions {
  rows: DeliveryRows
  limiter: EndpointLimiter
  /** @param mayBegin asked at the moment when the request would begin; if it may not, the error is `late` */
  send: (delivery: ClaimedDelivery, mayBegin: () => boolean) => Promise<Answer>
  backoffMs: number
  /** the factor by which the delay grows with each retry */
  backoffFactor: number
  metrics: DeliveryMetrics
  log: Logger
  chance: () => number
}

/** @returns the function that the queue calls for each job */
export function buildDeliverer(options: DeliverOptions): (queued: Queued) => Promise<DeliveryEnd> {
  const { rows, limiter, send, metrics, log } = options

  const deferredBy = (entry: Deferral): DeliveryEnd => {
    metrics.deferred.inc({ reason: entry.reason })
    return { kind: 'wait', reason: entry.reason, forMs: entry.forMs }
  }

  /** Makes a delivery wait, unless it has been deferred for so long that it must be sent. */
  const defer = async (queued: Queued, entry: Deferral): Promise<DeliveryEnd | Permit> => {
    const deferred = await rows.defer({ id: queued.deliveryId, forMs: entry.forMs, reason: entry.reason })
    if (deferred === undefined) return { kind: 'done', result: 'nothing to do' }
    if (deferred.deferredForMs < DEFERRED_AT_MOST_MS) return deferredBy(entry)
    const forced = await limiter.enter(queued.webhookId, true)
    return forced.kind === 'go' ? forced : deferredBy(forced)
  }

  /** Gives a claim back: its request did not leave. */
  const putBack = async (
    delivery: ClaimedDelivery,
    deferral: Deferral,
    permit: Permit,
  ): Promise<DeliveryEnd> => {
    permit.leave(null)
    await rows.putBack({ delivery, forMs: deferral.forMs, reason: deferral.reason })
    return deferredBy(deferral)
  }

  const retryInMs = (delivery: ClaimedDelivery, { retryAfterMs }: Answer): number =>
    retryDelayMs(delivery.triesMade, options.backoffMs, options.chance(), retryAfterMs, options.backoffFactor)

  /**
   * Nothing goes to the endpoint for now, which spends no try: nothing left through the proxy, or a chat says when it takes the next
   * line. What a proxy or a chat refuses for a day is tried all the same: it may refuse this endpoint for good.
   */
  const pauseOf = (delivery: ClaimedDelivery, answer: Answer): Deferral | null => {
    const { error, retryAfterMs } = answer
    const awayMs = Math.max(PROXY_AGAIN_MS, Math.min(retryAfterMs ?? 0, RETRY_AFTER_MAX_MS))
    if (error === 'proxy away') return { kind: 'defer', forMs: awayMs, reason: error }
    if (Date.now() - delivery.openedAt.getTime() >= DEFERRED_AT_MOST_MS) return null
    if (error === 'proxy refused') return { kind: 'defer', forMs: awayMs, reason: error }
    return answer.statusCode === 429 && retryAfterMs !== null && isForPeople(delivery.format)
      ? { kind: 'defer', forMs: retryInMs(delivery, answer), reason: 'rate cap' }
      : null
  }

  /**
   * Sends a delivery while its webhook is what it was at the claim.
   * @returns null: the webhook has changed, and nothing was sent
   */
  const sendCurrent = async (delivery: ClaimedDelivery): Promise<Answer | null> => {
    for (let readings = 0; ; readings++) {
      const mayBegin = () =>
        readings >= MOST_READINGS || performance.now() <= rows.lastReadMs(delivery) + TRUSTED_FOR_MS
      if (mayBegin()) {
        const answer = await send(delivery, mayBegin)
        if (answer.error !== 'late') return answer
      }
      if (!(await rows.isCurrent(delivery))) return null
    }
  }

  const attempt = async (delivery: ClaimedDelivery, permit: Permit): Promise<DeliveryEnd> => {
    const startedMs = performance.now()
    permit.begin()
    const answer = await sendCurrent(delivery)
    if (!answer) return putBack(delivery, CHANGED, permit)
    const pause = pauseOf(delivery, answer)
    if (pause) {
      await permit.pause(pause)
      return putBack(delivery, pause, permit)
    }
    permit.leave(answer.outcome === 'interrupted' ? null : answer.statusCode !== null)
    const durationMs = performance.now() - startedMs
    const result = resultOf(delivery, answer, durationMs)
    const finished = await rows.finish(result)
    metrics.attempted(delivery, answer.outcome, durationMs)
    const state = finished?.state ?? 'unknown'
    // If this fails, the next delivery is found a minute later.
    if ((delivery.ordered || delivery.orderKey !== null) && state !== 'pending')
      await rows
        .promoteNext(delivery)
        .catch((err: unknown) => log.warn({ err }, 'delivery.next-not-enqueued'))
    if (finished && state !== 'pending') metrics.ended.inc({ state })
    log.info(
      {
        deliveryId: delivery.id.toString(),
        webhookId: delivery.webhookId.toString(),
        messageId: delivery.messageId,
        attempt: delivery.attempt,
        outcome: answer.outcome,
        statusCode: answer.statusCode,
        error: answer.error,
        durationMs: Math.round(durationMs),
        state,
      },
      'delivery.attempted',
    )
    const reason = answer.statusCode === null ? (answer.error ?? '') : `status ${answer.statusCode}`
    // The row is gone or could not be written. The sweeper takes care of a row that is left.
    if (!finished) return { kind: 'done', result: 'no result was written' }
    if (finished.state === 'delivered') return { kind: 'done', result: 'delivered' }
    if (finished.state === 'pending')
      return answer.outcome === 'interrupted'
        ? { kind: 'wait', reason: 'the worker stops', forMs: 0 }
        : { kind: 'refused', reason, retryInMs: result.retryInMs }
    if (finished.state === 'failed') return { kind: 'failed', reason }
    return { kind: 'done', result: finished.state }
  }

  const resultOf = (delivery: ClaimedDelivery, answer: Answer, durationMs: number): AttemptResult => {
    const event =
      answer.outcome === 'accepted' || answer.outcome === 'gone'
        ? answer.outcome
        : answer.final || delivery.triesLeft === 0
          ? 'exhausted'
          : 'refused'
    const next = nextDeliveryState('pending', event)
    return {
      deliveryId: delivery.id,
      webhookId: delivery.webhookId,
      messageId: delivery.messageId,
      attempt: delivery.attempt,
      startedAt: delivery.startedAt,
      outcome: answer.outcome,
      next,
      retryInMs: next !== 'pending' || answer.outcome === 'interrupted' ? 0 : retryInMs(delivery, answer),
      durationMs,
      statusCode: answer.statusCode,
      error: answer.error,
      responseHeaders: answer.headers,
      responseBody: answer.body,
    }
  }

  const deliver = async (queued: Queued, permit: Permit): Promise<DeliveryEnd> => {
    try {
      const claim = await rows.claim(queued.deliveryId)
      if (claim.kind === 'claimed') {
        limiter.setRate(queued.webhookId, chosenRate(claim.delivery))
        return await attempt(claim.delivery, permit)
      }
      if (claim.kind === 'early')
        return { kind: 'wait', reason: claim.reason ?? 'not due yet', forMs: claim.dueInMs }
      if (claim.state === 'failed') return { kind: 'failed', reason: 'no try is left' }
      return { kind: 'done', result: `nothing to do (${claim.state ?? 'no such delivery'})` }
    } finally {
      permit.leave(null) // nothing when it was left with a result
    }
  }

  const enter = async (queued: Queued): Promise<DeliveryEnd | Permit> => {
    const entry = await limiter.enter(queued.webhookId)
    return entry.kind === 'go' ? entry : defer(queued, entry)
  }

  return async queued => {
    const permit = await enter(queued)
    return permit.kind === 'go' ? deliver(queued, permit) : permit
  }
}
