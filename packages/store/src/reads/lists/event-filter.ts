import { DIRECT_TRANSFER_POLICY } from '@payment-tracking/domain'
import { asTimestamp, raw, sql, type Sql } from '../../core/database/sql.js'
import { PAYMENT_NAMES } from '../../core/tables/payment-names.js'

/** Filters of the events list. All given filters must hold; times and slots are inclusive. */
export interface EventFilter {
  signature?: string | undefined
  slot?: number | undefined
  /** without the program's prefix */
  name?: string | undefined
  /** payments of either family of policies, and direct ones */
  payments?: boolean | undefined
  /** include events that the finalized chain does not hold */
  retracted?: boolean | undefined
  trackingId?: string | undefined
  gateway?: string | undefined
  paymentPolicy?: string | undefined
  userPayment?: string | undefined
  authority?: string | undefined
  recipient?: string | undefined
  /** who paid without a policy */
  directPayer?: string | undefined
  /** who was paid without a policy */
  directRecipient?: string | undefined
  /** text fields of `data`, for rare events, which have no column for them; payments have no such fields (payment-data.ts) */
  fields?: Readonly<Record<string, string | undefined>> | undefined
  startTime?: Date | undefined
  endTime?: Date | undefined
  minSlot?: number | undefined
  maxSlot?: number | undefined
}

/**
 * A condition that nearly all events meet. Without statistics, Postgres expects that one event in 200 meets a
 * comparison, and it would rather read and sort all events than walk the index of the list. It expects half of all
 * events to meet a `case`.
 */
export const isUsual = (condition: Sql): Sql => sql`case when ${condition} then true else false end`

/**
 * Nearly all events are payments, and all other events have separate indexes. A kept plan is made without the values,
 * so the statement's text states which of the two a name is.
 */
export const isOfName = (name: string): Sql =>
  name === 'PaymentRecord'
    ? isUsual(sql`name = 'PaymentRecord'`)
    : sql`name = ${name} and name <> 'PaymentRecord'`

/** Part of the statement's text, so that a kept plan can use the partial indexes of direct payments. */
export const IS_DIRECT = sql`payment_policy = ${raw(`'${DIRECT_TRANSFER_POLICY}'`)}`

const USUAL_LIMITS = [1, 10, 20, 50, 100]

/**
 * Usual page lengths are part of the statement's text, for kept plans: without the length, a plan expects a tenth of
 * all rows, and Postgres plans anew each time.
 */
export const pageOf = ({ limit, offset }: { limit: number; offset: number }): Sql => {
  const first = USUAL_LIMITS.includes(limit) ? sql`limit ${raw(limit.toString())}` : sql`limit ${limit}`
  return offset === 0 ? first : sql`${first} offset ${BigInt(offset)}`
}

/** The events that pass a filter, as a condition on columns of `events` (unaliased). */
export function eventConditions(filter: EventFilter): Sql[] {
  const conditions: Sql[] = []
  const add = (condition: Sql) => conditions.push(condition)
  if (filter.signature !== undefined) add(sql`signature = ${filter.signature}`)
  if (filter.slot !== undefined) add(sql`slot = ${BigInt(filter.slot)}`)
  if (filter.name !== undefined) add(isOfName(filter.name))
  if (filter.payments) add(isUsual(sql`name in (${PAYMENT_NAMES})`))
  if (!filter.retracted) add(isUsual(sql`retracted_at is null`))
  if (filter.trackingId !== undefined) add(sql`tracking_id = ${filter.trackingId}`)
  if (filter.gateway !== undefined) add(sql`gateway = ${filter.gateway}`)
  if (filter.paymentPolicy !== undefined) add(sql`payment_policy = ${filter.paymentPolicy}`)
  if (filter.userPayment !== undefined) add(sql`user_payment = ${filter.userPayment}`)
  if (filter.authority !== undefined) add(sql`authority = ${filter.authority}`)
  if (filter.recipient !== undefined) add(sql`recipient = ${filter.recipient}`)
  // As in the conditions of events_payer_direct and events_recipient_direct.
  if (filter.directPayer !== undefined) add(sql`${IS_DIRECT} and payer = ${filter.directPayer}`)
  if (filter.directRecipient !== undefined) add(sql`${IS_DIRECT} and recipient = ${filter.directRecipient}`)
  for (const [name, value] of Object.entries(filter.fields ?? {})) {
    if (value === undefined) continue
    // Reading a field fails if the data contain an escaped NUL anywhere.
    add(sql`case when data::text not like '%\\u0000%' then data ->> ${name} = ${value} else false end`)
  }
  if (filter.startTime !== undefined) add(sql`occurred_at >= ${asTimestamp(filter.startTime.getTime())}`)
  if (filter.endTime !== undefined) add(sql`occurred_at <= ${asTimestamp(filter.endTime.getTime())}`)
  if (filter.minSlot !== undefined) add(sql`slot >= ${BigInt(filter.minSlot)}`)
  if (filter.maxSlot !== undefined) add(sql`slot <= ${BigInt(filter.maxSlot)}`)
  return conditions
}
