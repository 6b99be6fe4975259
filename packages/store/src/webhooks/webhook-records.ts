import {
  PAYMENT_MESSAGE_TYPE,
  WEBHOOK_SECRET_BYTES,
  webhookSecretOf,
  type WebhookEventType,
  type WebhookFormat,
} from '@payment-tracking/domain'
import { randomBytes } from 'node:crypto'
import { ServiceError } from '@payment-tracking/runtime'
import type { Finality } from '../reads/known-payment.js'
import type { Store } from '../database/open-store.js'
import { cancelOpenDeliveries } from './deactivate-webhooks.js'

/** A webhook without its secrets. */
export interface WebhookRecord {
  id: bigint
  gateway: string
  endpointUrl: string
  active: boolean
  createdAt: Date
  /** the time since which no attempt succeeded */
  failingSince: Date | null
  /** why the service itself deactivated it */
  deactivatedReason: string | null
  deactivatedAt: Date | null
  /** the event types that the webhook gets */
  eventTypes: WebhookEventType[]
  /** when the webhook gets events: once confirmed, or only once final */
  finality: Finality
  /** the format of payment notifications */
  format: WebhookFormat
  description: string | null
}

export const WEBHOOKS_PER_GATEWAY = 20
const CREATION_LIMITS = { maxWait: 10_000, timeout: 10_000 }

export class TooManyWebhooksError extends ServiceError {
  readonly code = 'TOO_MANY_WEBHOOKS'
  readonly retry = 'never'

  constructor() {
    super(`A gateway has at most ${WEBHOOKS_PER_GATEWAY} webhooks; delete one first.`)
  }
}

export const newSecret = (): string => webhookSecretOf(randomBytes(WEBHOOK_SECRET_BYTES))

const SELECTED = {
  id: true,
  gateway: true,
  endpointUrl: true,
  active: true,
  createdAt: true,
  failingSince: true,
  deactivatedReason: true,
  deactivatedAt: true,
  eventTypes: true,
  finality: true,
  format: true,
  description: true,
} as const

type Selected = Omit<WebhookRecord, 'eventTypes' | 'finality' | 'format'> & {
  eventTypes: string[]
  finality: string
  format: string
}

/** Without a choice, a webhook gets payments. */
const toRecord = <W extends Selected>(webhook: W) => ({
  ...webhook,
  eventTypes: (webhook.eventTypes.length === 0
    ? [PAYMENT_MESSAGE_TYPE]
    : webhook.eventTypes) as WebhookEventType[],
  finality: webhook.finality as Finality,
  format: webhook.format as WebhookFormat,
})

/**
 * Registers a webhook. Concurrent calls for one gateway wait for each other (an advisory lock), so that the
 * limit holds.
 * @throws TooManyWebhooksError
 */
export const createWebhook = (
  { database }: Store,
  webhook: {
    gateway: string
    endpointUrl: string
    active: boolean
    /** an empty list means the default types */
    eventTypes?: WebhookEventType[]
    finality?: Finality
    format?: WebhookFormat
    description?: string | null
  },
): Promise<WebhookRecord & { secret: string }> =>
  database.transaction(async tx => {
    await tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${`webhooks ${webhook.gateway}`}, 0))`
    const count = await tx.webhook.count({ where: { gateway: webhook.gateway, deletedAt: null } })
    if (count >= WEBHOOKS_PER_GATEWAY) throw new TooManyWebhooksError()
    return toRecord(
      await tx.webhook.create({
        data: { ...webhook, secret: newSecret() },
        select: { ...SELECTED, secret: true },
      }),
    )
    // Calls for one gateway wait for each other, each with a connection.
  }, CREATION_LIMITS)

/** Webhooks of one gateway, oldest first. Deleted ones are not shown. */
export const listWebhooks = (
  { database }: Store,
  gateway: string,
  page: { activeOnly: boolean; limit?: number; offset?: number },
): Promise<WebhookRecord[]> =>
  database.withModels(async client => {
    const webhooks = await client.webhook.findMany({
      where: { gateway, deletedAt: null, ...(page.activeOnly ? { active: true } : {}) },
      orderBy: { id: 'asc' },
      ...(page.limit === undefined ? {} : { take: page.limit }),
      ...(page.offset === undefined ? {} : { skip: page.offset }),
      select: SELECTED,
    })
    return webhooks.map(toRecord)
  })

/** @returns null when the gateway has no such webhook */
export const getWebhook = ({ database }: Store, gateway: string, id: bigint): Promise<WebhookRecord | null> =>
  database.withModels(async client => {
    const where = { id, gateway, deletedAt: null }
    const webhook = await client.webhook.findFirst({ where, select: SELECTED })
    return webhook === null ? null : toRecord(webhook)
  })

/**
 * Activates or deactivates a webhook. Deactivating cancels its open deliveries. Activating clears the reason and the
 * failure time, and resumes nothing: cancelled deliveries need an explicit redelivery.
 */
export const setWebhookActive = (
  { database }: Store,
  gateway: string,
  id: bigint,
  active: boolean,
): Promise<WebhookRecord | null> =>
  database.transaction(async tx => {
    const where = { id, gateway, deletedAt: null }
    const data = active
      ? { active, failingSince: null, deactivatedReason: null, deactivatedAt: null }
      : { active }
    const { count } = await tx.webhook.updateMany({ where, data })
    if (count === 0) return null
    if (!active) await cancelOpenDeliveries(tx, [id], 'webhook inactive')
    const webhook = await tx.webhook.findFirst({ where, select: SELECTED })
    return webhook === null ? null : toRecord(webhook)
  })

/**
 * Deletes one webhook of a gateway, or all of them, and cancels their open deliveries. The rows stay for ops
 * until the retention removes them.
 * @returns how many were deleted
 */
export const deleteWebhooks = ({ database }: Store, gateway: string, id?: bigint): Promise<number> =>
  database.transaction(async tx => {
    const rows = await tx.$queryRaw<{ id: bigint }[]>`
        update webhooks set active = false, deleted_at = clock_timestamp()
         where gateway = ${gateway} and deleted_at is null and (${id ?? null}::bigint is null or id = ${id ?? null})
        returning id`
    const ids = rows.map(row => row.id)
    if (ids.length > 0) await cancelOpenDeliveries(tx, ids, 'webhook deleted')
    return ids.length
  })
