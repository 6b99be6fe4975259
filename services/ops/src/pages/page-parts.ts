import type { Bus } from '@payment-tracking/bus'
import type { DeliveryQueue } from '@payment-tracking/queue'
import type { Logger } from '@payment-tracking/runtime'
import type { Store } from '@payment-tracking/store'
import type { Sessions } from '../session/session.js'

export interface PageParts {
  store: Store
  bus: Bus
  queue: DeliveryQueue
  log: Logger
  sessions: Sessions
  environment: string
  subjectPrefix: string
}

/** What one bulk form does at most. */
export const BULK_LIMIT = 1_000
export const PAGE_SIZE = 100

/** The ids of ticked rows; nonsense is left out. */
export const readIds = (sent: string | string[] | undefined): bigint[] =>
  [sent ?? []]
    .flat()
    .filter(id => /^\d{1,18}$/.test(id))
    .map(BigInt)

export const readBefore = (sent: string | undefined): bigint | undefined => readIds(sent)[0]

/** A result is told on the page that the form leads back to. */
export const back = (path: string, notice: string): string => `${path}?notice=${encodeURIComponent(notice)}`
