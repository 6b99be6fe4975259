import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@payment-tracking/runtime'
import { bisect, StoreTimeoutError, StoreUnavailableError } from '@payment-tracking/store/core'
import { type AttemptResult, type FinishedAttempt } from '@payment-tracking/store/deliveries'
import type { DeliveryMetrics } from './delivery-metrics.js'

type WriteSet = (results: readonly AttemptResult[]) => Promise<FinishedAttempt[]>

/** The number of tries for a single failing result before the worker gives up: an outage may appear as any error. */
const TRIES_ALONE = 3

/**
 * Writes a set of results and isolates a result that makes the statement fail. While the database is away, the whole
 * set is tried again without limit. After any other error, the set is written without the endpoints' answers, then in
 * halves. The worker gives up a single result that still fails: its claim ends, and the delivery is sent again. The
 * attempt counts, so the delivery ends as `failed` after its tries.
 * @returns the rows of the written results
 */
export async function writeResults(
  write: WriteSet,
  results: readonly AttemptResult[],
  { log, metrics }: { log: Logger; metrics: Pick<DeliveryMetrics, 'lostResults'> },
): Promise<FinishedAttempt[]> {
  /** @param atMost tries that are nobody's fault do not count */
  const attempt = async (set: readonly AttemptResult[], atMost = 1): Promise<FinishedAttempt[]> => {
    for (let tries = 0, failures = 0; ; tries++) {
      try {
        return await write(set)
      } catch (err) {
        log.warn({ err, tries, results: set.length }, 'delivery.result-not-written')
        const isAway = err instanceof StoreUnavailableError || err instanceof StoreTimeoutError
        if (!isAway && ++failures === atMost) throw err
        await sleep(Math.min(100 * 2 ** tries, 1_000))
      }
    }
  }
  const giveUp = ({ deliveryId, attempt: nth }: AttemptResult, err: unknown): FinishedAttempt[] => {
    metrics.lostResults.inc()
    log.error({ err, deliveryId: deliveryId.toString(), attempt: nth }, 'delivery.result-lost')
    return []
  }
  return attempt(results).catch(async () => {
    const written = await bisect(results.map(withoutAnswer), set => attempt(set), {
      alone: async result => [
        await attempt([result], TRIES_ALONE - 1).catch((err: unknown) => giveUp(result, err)),
      ],
    })
    return written.flat()
  })
}

const withoutAnswer = (result: AttemptResult): AttemptResult => ({
  ...result,
  responseHeaders: null,
  responseBody: null,
})
