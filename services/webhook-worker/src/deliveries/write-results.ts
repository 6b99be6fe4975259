import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@payment-tracking/runtime'
import {
  StoreTimeoutError,
  StoreUnavailableError,
  type AttemptResult,
  type FinishedAttempt,
} from '@payment-tracking/store'
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
  parts: { log: Logger; metrics: Pick<DeliveryMetrics, 'lostResults'> },
): Promise<FinishedAttempt[]> {
  let set = results
  let triesAlone = 0
  for (let tries = 0; ; tries++) {
    try {
      return await write(set)
    } catch (err) {
      parts.log.warn({ err, tries, results: set.length }, 'delivery.result-not-written')
      if (!(err instanceof StoreUnavailableError || err instanceof StoreTimeoutError)) {
        if (set.some(hasAnswer)) {
          set = set.map(withoutAnswer)
          continue
        }
        if (set.length > 1) {
          const middle = Math.ceil(set.length / 2)
          return [
            ...(await writeResults(write, set.slice(0, middle), parts)),
            ...(await writeResults(write, set.slice(middle), parts)),
          ]
        }
        if (++triesAlone === TRIES_ALONE) {
          const [{ deliveryId, attempt }] = set as [AttemptResult]
          parts.metrics.lostResults.inc()
          parts.log.error({ err, deliveryId: deliveryId.toString(), attempt }, 'delivery.result-lost')
          return []
        }
      }
      await sleep(Math.min(100 * 2 ** tries, 1_000))
    }
  }
}

const hasAnswer = (result: AttemptResult): boolean =>
  result.responseHeaders !== null || result.responseBody !== null

const withoutAnswer = (result: AttemptResult): AttemptResult => ({
  ...result,
  responseHeaders: null,
  responseBody: null,
})
