// How `events` holds the data of a payment. As the indexer sends them, they are 280 to 600 bytes. Other columns of the row hold nearly all
// of that. So the column `data` is a JSON array of the rest. First come the bytes of the memo, without the zeros at its end. Then come
// the payer, the recipient and the mint, if the message named them: the columns of these three can have another source.
// `[98,121,116]` and `[0,"payer","recipient","mint"]` are examples. The column `memo_zeros` counts the zeros, so that no list
// counts the entries of each array (0.5 us). All other data, and all whose text would not come out the same to the byte, stay as they came:
// an object, and `memo_zeros` is null.
import type { ChainEvent } from '@payment-tracking/domain'
import { sql } from '../database/sql.js'

const USUAL =
  /^\{"payment_policy":"\w+","gateway":"\w+","amount":"\d+","timestamp":"-?\d+","memo":\[(\d+(?:,\d+){63})\],"record_id":\d+(?:,"payer":("\w+"),"recipient":("\w+"),"token_mint":("\w+"))?\}$/
const ZEROS_AT_END = /(?:,0)+$/

/** The columns `data` and `memo_zeros` of an event: compact if `DATA_TEXT` makes the same text of them. */
export function writeData(event: ChainEvent): { data: string; memoZeros: number | null } {
  const { data, paymentPolicy, gateway, effect } = event
  const asItCame = { data, memoZeros: null }
  const found = effect.kind === 'payment' ? USUAL.exec(data) : null
  if (effect.kind !== 'payment' || found === null) return asItCame
  const [, memo, payer, recipient, mint] = found
  const { amount, paidAt, recordId } = effect
  const details = payer === undefined ? '' : `,"payer":${payer},"recipient":${recipient},"token_mint":${mint}`
  const text = `{"payment_policy":"${paymentPolicy}","gateway":"${gateway}","amount":"${amount}","timestamp":"${paidAt}","memo":[${memo}],"record_id":${recordId}${details}}`
  if (text !== data) return asItCame
  const kept = memo!.replace(ZEROS_AT_END, '')
  const memoZeros = (memo!.length - kept.length) / ',0'.length
  return { data: payer === undefined ? `[${kept}]` : `[${kept},${payer},${recipient},${mint}]`, memoZeros }
}

/** Whether the data of an event `e` are compact. */
export const IS_COMPACT = sql`e.memo_zeros is not null`

const STORED = sql`e.data::text`
// Joined in pairs, as lists join their records.
const BEFORE_MEMO = sql`(('{"payment_policy":"' || e.payment_policy || '","gateway":"')
  || (e.gateway || '","amount":"' || e.amount::text || '","timestamp":"'))`
const AFTER_MEMO = sql`(repeat(',0', e.memo_zeros) || '],"record_id":' || e.record_id::text)`
/** The memo up to the zeros at its end, without the bracket behind it. */
const KEPT_MEMO = sql`rtrim(split_part(${STORED}, '"', 1), ',]')`

/**
 * The data of an event `e` as its message had them, as text. Costs 1 to 2 us where `data` is compact, so what reads pages of them has
 * no other conversion. To cut texts at quotes is safe: neither numbers nor base58 hold a quote.
 */
export const DATA_TEXT = sql`
  case when e.memo_zeros is null then ${STORED}
       when ${STORED} like '%"]' then
         ${BEFORE_MEMO} || ((e.paid_at::text || '","memo":' || ${KEPT_MEMO}) || ${AFTER_MEMO})
           || (',"payer":"' || split_part(${STORED}, '"', 2) || '","recipient":"' || split_part(${STORED}, '"', 4))
           || ('","token_mint":"' || split_part(${STORED}, '"', 6) || '"}')
       else ${BEFORE_MEMO} || ((e.paid_at::text || '","memo":' || rtrim(${STORED}, ']')) || (${AFTER_MEMO} || '}')) end`

/** The memo of an event `e` as a JSON array of bytes, with or without zeros at its end. Null if its data have none. */
export const MEMO = sql`case when ${IS_COMPACT} then ${KEPT_MEMO} || ']' else (e.data -> 'memo')::text end`
