// How `events` holds the data of a payment. As the indexer sends them, they are 280 to 600 bytes, of which columns of the same row hold
// nearly all. So the column `data` is a JSON array of what no other column holds: the bytes of the memo without the zeros at its
// end, then the payer, the recipient and the mint if the message named them (the columns of these may come from elsewhere).
// `[98,121,116]` and `[0,"payer","recipient","mint"]` are examples. All other data, and all whose text would not come out the same
// to the byte, stay as they came: an object.
import { MAX_TRACKING_ID_BYTES, type ChainEvent } from '@payment-tracking/domain'
import { inline, sql } from '../database/sql.js'

const USUAL =
  /^\{"payment_policy":"\w+","gateway":"\w+","amount":"\d+","timestamp":"-?\d+","memo":\[(\d+(?:,\d+){63})\],"record_id":\d+(?:,"payer":("\w+"),"recipient":("\w+"),"token_mint":("\w+"))?\}$/
const ZEROS_AT_END = /(?:,0)+$/

/** The data of an event as its row holds them: compact if `DATA_TEXT` makes the same text of that. */
export function writeData({ data, paymentPolicy, gateway, effect }: ChainEvent): string {
  const found = effect.kind === 'payment' ? USUAL.exec(data) : null
  if (effect.kind !== 'payment' || found === null) return data
  const [, memo, payer, recipient, mint] = found
  const { amount, paidAt, recordId } = effect
  const details = payer === undefined ? '' : `,"payer":${payer},"recipient":${recipient},"token_mint":${mint}`
  const text = `{"payment_policy":"${paymentPolicy}","gateway":"${gateway}","amount":"${amount}","timestamp":"${paidAt}","memo":[${memo}],"record_id":${recordId}${details}}`
  if (text !== data) return data
  const kept = memo!.replace(ZEROS_AT_END, '')
  return payer === undefined ? `[${kept}]` : `[${kept},${payer},${recipient},${mint}]`
}

/** Whether the data of an event `e` are compact. */
export const IS_COMPACT = sql`json_typeof(e.data) = 'array'`

const STORED = sql`e.data::text`
const BEFORE_MEMO = sql`(('{"payment_policy":"' || e.payment_policy || '","gateway":"' || e.gateway || '","amount":"')
  || (e.amount::text || '","timestamp":"' || e.paid_at::text || '","memo":'))`
const AFTER_MEMO = sql`('],"record_id":' || e.record_id::text)`
/** The memo up to the zeros at its end, without the bracket behind it. */
const KEPT_MEMO = sql`rtrim(split_part(${STORED}, '"', 1), ',]')`
const zerosAfter = (bytes: typeof STORED) => sql`repeat(',0', ${inline(MAX_TRACKING_ID_BYTES)} - ${bytes})`

/**
 * The data of an event `e` as its message had them, as text. Costs 3 us where `data` is compact, so what reads pages of them has no
 * other conversion. To count entries, and to cut texts at quotes, is safe: neither numbers nor base58 hold a quote.
 */
export const DATA_TEXT = sql`
  case when not ${IS_COMPACT} then ${STORED}
       when ${STORED} like '%"]' then
         ${BEFORE_MEMO} || (${KEPT_MEMO} || ${zerosAfter(sql`(json_array_length(e.data) - 3)`)} || ${AFTER_MEMO})
           || (',"payer":"' || split_part(${STORED}, '"', 2) || '","recipient":"' || split_part(${STORED}, '"', 4))
           || ('","token_mint":"' || split_part(${STORED}, '"', 6) || '"}')
       else ${BEFORE_MEMO} || (rtrim(${STORED}, ']') || ${zerosAfter(sql`json_array_length(e.data)`)}) || (${AFTER_MEMO} || '}') end`

/** The memo of an event `e` as a JSON array of bytes, with or without zeros at its end. Null if its data have none. */
export const MEMO = sql`case when ${IS_COMPACT} then ${KEPT_MEMO} || ']' else (e.data -> 'memo')::text end`
