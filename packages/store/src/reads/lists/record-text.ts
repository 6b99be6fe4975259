// What a record of an event and of a payment holds, in the form in which lists answer it: as JSON text. The API's
// schemas have the same fields; the compiler compares the names, and a test compares answers with the schemas. Postgres writes a page as
// one text: a third less CPU on both sides than rows that JavaScript writes.
import type { Tokens } from '@payment-tracking/domain'
import { raw, sql, type Sql } from '../../core/database/sql.js'
import { anyText, asItIs, concatenated, fieldParts, orNull, plainText, type JsonField } from './json-text.js'
import { DATA_TEXT } from '../../core/tables/payment-data.js'
import { FINALITY } from '../../core/tables/detailed-payment.js'

/** What the fields of a record depend on besides its row. */
export interface RecordOptions {
  /** by mint; records of other mints have neither `decimals` nor `symbol` */
  tokens: Tokens
  /** each record says whether it was retracted; else only those that were */
  withRetracted?: boolean | undefined
}

/** The JSON text of a record of the event `e`. */
export interface RecordText {
  /** what never changes once the event is stored: the position of the event determines it */
  unchanging: Sql
  /** the rest of the record */
  changing: Sql
}

/** `2026-01-02T03:04:05.678Z`, whatever the time zone of the connection is. */
const TIMESTAMP = sql`to_char(e.occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

const EVENT = {
  id: plainText(sql`e.id`),
  slot: asItIs(sql`e.slot`),
  signature: plainText(sql`e.signature`),
  eventName: plainText(sql`e.name`),
  data: asItIs(DATA_TEXT),
  timestamp: plainText(TIMESTAMP),
} satisfies Record<string, JsonField>

const ONE_TIME = {
  eventId: plainText(sql`e.id`),
  signature: plainText(sql`e.signature`),
  slot: asItIs(sql`e.slot`),
  timestamp: plainText(TIMESTAMP),
  paymentPolicy: plainText(sql`e.payment_policy`),
  gateway: plainText(sql`e.gateway`),
  amount: asItIs(sql`e.amount`),
  recordId: asItIs(sql`e.record_id`),
  amountString: plainText(sql`e.amount`),
} satisfies Record<string, JsonField>

const FINALITY_FIELDS = { finality: plainText(FINALITY) } satisfies Record<string, JsonField>

/** A payment's details, which become known one by one. */
const DETAILS = {
  recipient: orNull(plainText(sql`e.recipient`)),
  payer: orNull(plainText(sql`e.payer`)),
  tokenMint: orNull(plainText(sql`e.token_mint`)),
  seq: orNull(asItIs(sql`e.seq`)),
} satisfies Record<string, JsonField>

const PAYMENT = {
  trackingId: orNull(anyText(sql`e.tracking_id`)),
  ...DETAILS,
  eventId: plainText(sql`e.id`),
  amountString: plainText(sql`e.amount`),
} satisfies Record<string, JsonField>

/** A tracking ID is its memo without the padding, so the text is the same. */
const TRACKED = {
  trackingId: anyText(sql`e.tracking_id`),
  memo: anyText(sql`e.tracking_id`),
} satisfies Record<string, JsonField>

type Sometimes = 'retracted' | 'decimals' | 'symbol'
/** The fields of an event's record; those of a payment are in no other record. */
export type EventRecordField =
  | keyof typeof EVENT
  | keyof typeof FINALITY_FIELDS
  | keyof typeof PAYMENT
  | Sometimes
/** The fields of a payment's record. */
export type OneTimePaymentField =
  | keyof typeof ONE_TIME
  | keyof typeof FINALITY_FIELDS
  | keyof typeof TRACKED
  | keyof typeof DETAILS
  | Sometimes

const retractedText = (always: boolean | undefined): Sql =>
  always
    ? sql`case when e.retracted_at is null then ',"retracted":false' else ',"retracted":true' end`
    : sql`case when e.retracted_at is null then '' else ',"retracted":true' end`

/** `decimals` and `symbol` by mint: the ends of records. */
function tokenText(tokens: RecordOptions['tokens']): Sql {
  if (tokens.size === 0) return raw(`''`)
  const texts = [...tokens].map(([mint, { decimals, symbol }]) => [
    mint,
    `,"decimals":${decimals},"symbol":${JSON.stringify(symbol)}`,
  ])
  return sql`coalesce(${JSON.stringify(Object.fromEntries(texts))}::jsonb ->> e.token_mint, '')`
}

/** The first fields of a record, with the brace before them. */
const firstFields = (fields: Readonly<Record<string, JsonField>>) => {
  const [first, ...others] = fieldParts(fields)
  return [`{${(first as string).slice(1)}`, ...others]
}

type WriteRecord = (options: RecordOptions) => RecordText

/** Each list has the same few texts in every request: making one takes longer than everything else before Postgres. */
function madeOnce(make: WriteRecord): WriteRecord {
  const made = new WeakMap<RecordOptions['tokens'], RecordText[]>()
  return options => {
    const { tokens, withRetracted } = options
    const texts = made.get(tokens) ?? []
    made.set(tokens, texts)
    return (texts[withRetracted ? 1 : 0] ??= make(options))
  }
}

/** The record of an event `e`, of any kind. */
export const eventRecordText = madeOnce(({ tokens, withRetracted }) => {
  const payment = concatenated([...fieldParts(PAYMENT), tokenText(tokens), '}'])
  return {
    unchanging: concatenated(firstFields(EVENT)),
    changing: concatenated([
      ...fieldParts(FINALITY_FIELDS),
      retractedText(withRetracted),
      sql`case when e.amount is null then '}' else ${payment} end`,
    ]),
  }
})

/** The record of a payment `e` that has a tracking ID. */
export const oneTimePaymentText = madeOnce(({ tokens, withRetracted }) => ({
  unchanging: concatenated(firstFields(ONE_TIME)),
  changing: concatenated([
    ...fieldParts(FINALITY_FIELDS),
    retractedText(withRetracted),
    ...fieldParts({ ...TRACKED, ...DETAILS }),
    tokenText(tokens),
    '}',
  ]),
}))
