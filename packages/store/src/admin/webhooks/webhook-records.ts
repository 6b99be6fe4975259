import type { OrderedBy } from '../../core/tables/webhooks.js'
import {
  PAYMENT_MESSAGE_TYPE,
  WEBHOOK_SECRET_BYTES,
  webhookSecretOf,
  type WebhookEventType,
  type WebhookFilters,
  type WebhookFormat,
} from '@payment-tracking/domain'
import { randomBytes } from 'node:crypto'
import { ServiceError } from '@payment-tracking/runtime'
import { DbNull, empty, sql, type Store, type Webhook } from '../../core/database/sql.js'
import type { Finality } from '../../core/tables/detailed-payment.js'
import { turnOff } from '../../core/tables/turn-off.js'

export const WEBHOOKS_PER_GATEWAY = 20
const CREATION_LIMITS = { maxWait: 10_000, timeout: 10_000 }

export class TooManyWebhooksError extends ServiceError {
  readonly code = 'TOO_MANY_WEBHOOKS'
  readonly retry = 'never'
}

export const newSecret = (): string => webhookSecretOf(randomBytes(WEBHOOK_SECRET_BYTES))

/** What no record of a webhook has. */
export const OMITTED = {
  secret: true,
  earlierSecrets: true,
  lostAt: true,
  deletedAt: true,
  failureNotifiedAt: true,
  activation: true,
  turnedOffAt: true,
  turnedOffReason: true,
} as const

/** Choices as columns. A column of type `json` distinguishes the JSON null from no value. */
export const toColumns = <C extends Partial<WebhookChoices>>({ headers, filters, ...others }: C) => ({
  ...others,
  ...(headers === undefined ? {} : { headers: headers ?? DbNull }),
  ...(filters === undefined ? {} : { filters: filters === null ? DbNull : { ...filters } }),
})

type Row = Omit<Webhook, keyof typeof OMITTED>

/**
 * Without a choice, a webhook gets payments. Values of headers can be secrets: a record has their names.
 * @param row of which nothing is a secret but the headers
 */
export const toRecord = ({ headers, ...webhook }: Row) => ({
  ...webhook,
  headerNames: Object.keys((headers as Record<string, string> | null) ?? {}),
  /** null: it gets every payment of the gateway */
  filters: webhook.filters as WebhookFilters | null,
  eventTypes: (webhook.eventTypes.length === 0
    ? [PAYMENT_MESSAGE_TYPE]
    : webhook.eventTypes) as WebhookEventType[],
  finality: webhook.finality as Finality,
  format: webhook.format as WebhookFormat,
  orderedBy: webhook.orderedBy as OrderedBy,
})

/** A webhook without its secrets; prisma/schema.prisma says what its fields are. */
export type WebhookRecord = ReturnType<typeof toRecord>

type OfService = 'id' | 'gateway' | 'createdAt' | 'failingSince' | 'deactivatedReason' | 'deactivatedAt'

/** What the owner of a webhook chooses. */
export type WebhookChoices = Omit<WebhookRecord, OfService | 'headerNames'> & {
  headers: Record<string, string> | null
}

/**
 * Registers a webhook. Concurrent calls for one gateway wait for each other (an advisory lock), so that the
 * limit holds.
 * @throws TooManyWebhooksError
 */
export const createWebhook = (
  { database }: Store,
  webhook: Pick<WebhookChoices, 'endpointUrl' | 'active'> & Partial<WebhookChoices> & { gateway: string },
): Promise<WebhookRecord & { secret: string }> =>
  database.transaction(async tx => {
    await tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${`webhooks ${webhook.gateway}`}, 0))`
    const count = await tx.webhook.count({ where: { gateway: webhook.gateway, deletedAt: null } })
    if (count >= WEBHOOKS_PER_GATEWAY)
      throw new TooManyWebhooksError(
        `A gateway has at most ${WEBHOOKS_PER_GATEWAY} webhooks; delete one first.`,
      )
    const secret = newSecret()
    return {
      ...toRecord(await tx.webhook.create({ data: { ...toColumns(webhook), secret }, omit: OMITTED })),
      secret,
    }
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
      omit: OMITTED,
    })
    return webhooks.map(toRecord)
  })

/** @returns null when the gateway has no such webhook */
export const getWebhook = ({ database }: Store, gateway: string, id: bigint): Promise<WebhookRecord | null> =>
  database.withModels(async client => {
    const where = { id, gateway, deletedAt: null }
    const webhook = await client.webhook.findFirst({ where, omit: OMITTED })
    return webhook === null ? null : toRecord(webhook)
  })

/**
 * Deletes one webhook of a gateway, or all of them; their open deliveries are cancelled with that (turn-off.ts). The rows
 * stay for ops until the retention removes them.
 * @returns those that were deleted
 */
export const deleteWebhooks = (
  { database }: Store,
  gateway: string,
  id?: bigint,
): Promise<Pick<WebhookRecord, 'id' | 'endpointUrl'>[]> => {
  const one = id === undefined ? empty : sql`and w.id = ${id}`
  return database.write(
    turnOff(sql`w.gateway = ${gateway} and w.deleted_at is null ${one}`, {
      why: 'webhook deleted',
      more: sql`deleted_at = clock_timestamp()`,
      returned: sql`w.id, w.endpoint_url as "endpointUrl"`,
    }),
  )
}
