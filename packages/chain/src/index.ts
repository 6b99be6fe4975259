export type { ChainInstruction, ChainTransaction } from './chain-transaction.js'
export type { Value } from './codecs.js'
export {
  decodeTransaction,
  type DecodedEvent,
  type DecodedGap,
  type DecodedTransaction,
  type GapReason,
} from './decode-transaction.js'
export { readEventBytes, writeEventBytes, type EventData, type ReadEvent } from './event-codec.js'
export { buildEventMessage, buildGapMessage, type Commitment } from './event-message.js'
export { INSTRUCTION_EVENTS } from './instruction-events.js'
export { discriminatorOf, EVENT_LAYOUTS } from './layouts.js'
export { readPaymentCount } from './policy-counters.js'
export { readTokenAccount, TOKEN_ACCOUNT_BYTES, type TokenAccount } from './token-account.js'
