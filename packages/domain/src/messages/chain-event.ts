// An event after every check, as ingest stores and projects it.
import type { RefusalCode } from './refusal-codes.js'

/** The chain position of an event: slot, transaction, index, event id, as text whose byte order is chain order. */
export type ChainOrder = string

/** What the indexer knew when it published: a confirmed transaction can still be retracted. */
export type Commitment = 'confirmed' | 'finalized'

/** Which of the program's two kinds of policy: payments as they are, or payments that call another program. */
export type PolicyFamily = 'regular' | 'composable'

/** What an event does to projections; `none` for events that are only stored. */
export type Effect =
  | {
      kind: 'payment'
      /** `DIRECT_TRANSFER_POLICY` for a payment that belongs to no policy */
      policy: string
      gateway: string
      /** u64, in the token's smallest unit */
      amount: bigint
      /** `data.timestamp`, Unix seconds (i64) */
      paidAt: bigint
      recordId: number
      recipient: string | null
      payer: string | null
      tokenMint: string | null
      /** what its own memo says where that is no tracking ID; absent when it says nothing else */
      memo?: string
      /** the payment has no memo of its own; the program gives it the tracking ID of its policy */
      tracksPolicy: boolean
    }
  | {
      kind: 'policy-created'
      policy: string
      family: PolicyFamily
      /** the mint of a composable policy; null where the user payment names the mint */
      tokenMint: string | null
      userPayment: string
      recipient: string
      gateway: string
      policyId: number
      /** the tagged, normalised policy type: one key, the type's name as on the chain (`Subscription`) */
      policyType: PolicyType
      /** what the memo says when it is no tracking ID; else null */
      memo: string | null
    }
  | { kind: 'policy-status-changed'; policy: string; newStatus: string }
  | { kind: 'policy-deleted'; policy: string }
  | {
      kind: 'user-payment-created'
      userPayment: string
      owner: string
      tokenMint: string
      /** null where the message names none */
      tokenAccount: string | null
    }
  | { kind: 'user-payment-deleted'; userPayment: string }
  | { kind: 'gateway-created'; gateway: string; authority: string }
  | { kind: 'gateway-deleted'; gateway: string }
  | { kind: 'gateway-signer-changed'; gateway: string; signer: string }
  | { kind: 'none' }

/** `text` is the tagged, normalised type as JSON: `{"Subscription": {…}}`, integers as literals, no padding. */
export interface PolicyType {
  name: string
  text: string
}

export interface ChainEvent {
  /** derived from the identity: the same event has the same id, whichever indexer published it (uuid text) */
  id: string
  order: ChainOrder
  /** what two messages of the same identity must agree on: data, slot and timestamp (uuid text) */
  fingerprint: string
  slot: number
  /** index of the transaction in its block; 0 when the publisher sent none */
  transactionIndex: number
  /** position in the transaction; 0 when the publisher sent none */
  index: number
  commitment: Commitment
  signature: string
  /** without the program's prefix */
  name: string
  occurredAt: Date
  /** `data` as JSON text with every digit that was received */
  data: string
  /** filters: null where the event does not name one */
  gateway: string | null
  paymentPolicy: string | null
  userPayment: string | null
  authority: string | null
  recipient: string | null
  trackingId: string | null
  effect: Effect
}

export interface Refusal {
  code: RefusalCode
  /** one sentence naming the field and what was expected; never the bytes themselves */
  reason: string
}

export type ReadResult = { ok: true; event: ChainEvent } | { ok: false; refusal: Refusal }
