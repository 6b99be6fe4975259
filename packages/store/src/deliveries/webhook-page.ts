import type { DeliveryRef } from '@payment-tracking/contracts'
import type { WebhookActivation } from '../core/tables/delivery-ranges.js'
import type { Work, WorkPage } from '../core/tasks/work-table.js'

/** A row of work of a webhook, with what its pages need of the webhook. */
export interface WebhookWork extends Work, WebhookActivation {
  isDeleted: boolean
  /** nobody can have seen the webhook on, and not have committed */
  isFinished: boolean
}

/** What a page of it did. */
export interface WebhookPage extends WorkPage {
  handled: number
  /** deliveries to enqueue */
  deliveries: DeliveryRef[]
  /** whether another page follows */
  hasMore: boolean
}
