// What each event of the program must carry, and what it does. A field that no projection reads is not
// checked: a newer program may change it, and the event is still worth keeping.
import type { ChainEvent, Effect, PolicyFamily } from './chain-event.js'
import { deriveGateway, derivePolicy, deriveUserPayment, isPublicKey } from '../keys/addresses.js'
import { isObject, type ExactJsonObject } from '../json/exact-json.js'
import {
  readBytes,
  readEnumField,
  readI64,
  readOptionalPublicKey,
  readPublicKey,
  readU32,
  readU64,
} from './fields.js'
import { readPolicyType } from './policy-type.js'
import { refuseField } from './refused.js'
import { MAX_TRACKING_ID_BYTES, readMemoText, readTrackingId } from './tracking-id.js'

type Filters = Pick<
  ChainEvent,
  'gateway' | 'paymentPolicy' | 'userPayment' | 'authority' | 'recipient' | 'trackingId'
>

export interface Reading {
  effect: Effect
  filters: Partial<Filters>
  /** `data` with the enums tagged and the Options spelled out that only we know to be such */
  normalised: ExactJsonObject
}

/** @throws Refused (BAD_DATA) */
export type EventReader = (data: ExactJsonObject, programId: string) => Reading

interface Memo {
  trackingId: string | null
  /** what it says all the same when it is no tracking ID; else null */
  memo: string | null
}
const toMemo = (bytes: Uint8Array): Memo => {
  const trackingId = readTrackingId(bytes)
  return { trackingId, memo: trackingId === null ? readMemoText(bytes) || null : null }
}

const readMemo = (data: ExactJsonObject): Memo => toMemo(readBytes(data, 'memo', MAX_TRACKING_ID_BYTES))

/** Memos of composable policies and their executions have 32 bytes, in older programs 64. */
const COMPOSABLE_MEMO_BYTES = 32
const readComposableMemo = (data: ExactJsonObject): Memo =>
  toMemo(readBytes(data, 'memo', COMPOSABLE_MEMO_BYTES, MAX_TRACKING_ID_BYTES))

const readPaymentRecord: EventReader = data => {
  const policy = readPublicKey(data, 'payment_policy')
  const gateway = readPublicKey(data, 'gateway')
  const amount = readU64(data, 'amount')
  const paidAt = readI64(data, 'timestamp')
  const { trackingId, memo } = readMemo(data)
  const recordId = readU32(data, 'record_id')
  const payer = readOptionalPublicKey(data, 'payer')
  const recipient = readOptionalPublicKey(data, 'recipient')
  const tokenMint = readOptionalPublicKey(data, 'token_mint')
  return {
    effect: {
      kind: 'payment',
      policy,
      gateway,
      amount,
      paidAt,
      recordId,
      recipient,
      payer,
      tokenMint,
      ...(memo !== null && { memo }),
      tracksPolicy: false,
    },
    filters: { gateway, paymentPolicy: policy, recipient, trackingId },
    normalised: { ...data, payer, recipient, token_mint: tokenMint },
  }
}

const readPolicyCreated: EventReader = (data, programId) => {
  const userPayment = readPublicKey(data, 'user_payment')
  const recipient = readPublicKey(data, 'recipient')
  const gateway = readPublicKey(data, 'gateway')
  const policyId = readU32(data, 'policy_id')
  const { policyType, tagged } = readPolicyType(data)
  const { trackingId, memo } = readMemo(data)
  const policy = derivePolicy(programId, userPayment, policyId)
  return {
    effect: {
      kind: 'policy-created',
      policy,
      family: 'regular',
      tokenMint: null,
      userPayment,
      recipient,
      gateway,
      policyId,
      policyType,
      memo,
    },
    filters: { gateway, paymentPolicy: policy, userPayment, recipient, trackingId },
    normalised: { ...data, policy_type: tagged },
  }
}

const POLICY_FIELDS = { regular: 'payment_policy', composable: 'composable_policy' } as const

const policyStatusReader =
  (family: PolicyFamily): EventReader =>
  data => {
    const policy = readPublicKey(data, POLICY_FIELDS[family])
    const { name, payload } = readEnumField(data, 'new_status')
    const normalised: ExactJsonObject = { ...data, new_status: { [name]: payload } }
    if (typeof data.old_status === 'string') normalised.old_status = { [data.old_status]: null }
    return {
      effect: { kind: 'policy-status-changed', policy, newStatus: name },
      filters: { paymentPolicy: policy },
      normalised,
    }
  }

const policyDeletedReader =
  (family: PolicyFamily): EventReader =>
  data => {
    const policy = readPublicKey(data, POLICY_FIELDS[family])
    return {
      effect: { kind: 'policy-deleted', policy },
      filters: { paymentPolicy: policy },
      normalised: data,
    }
  }

function readInputMint({ forward_config: config }: ExactJsonObject): string {
  if (!isObject(config)) refuseField('forward_config', 'an object of its fields')
  return readPublicKey(config, 'input_mint', 'forward_config.input_mint')
}

const readComposableCreated: EventReader = data => {
  const policy = readPublicKey(data, 'composable_policy')
  const userPayment = readPublicKey(data, 'user_payment')
  const recipient = readPublicKey(data, 'recipient')
  const gateway = readPublicKey(data, 'gateway')
  const policyId = readU32(data, 'policy_id')
  const { policyType, tagged } = readPolicyType(data)
  const tokenMint = readInputMint(data)
  const { trackingId, memo } = readComposableMemo(data)
  return {
    effect: {
      kind: 'policy-created',
      policy,
      family: 'composable',
      tokenMint,
      userPayment,
      recipient,
      gateway,
      policyId,
      policyType,
      memo,
    },
    filters: { gateway, paymentPolicy: policy, userPayment, recipient, trackingId },
    normalised: { ...data, policy_type: tagged },
  }
}

/** The payment of a composable policy: what it put in. What came out of the other program stays in `data`. */
const readComposableExecuted: EventReader = data => {
  const policy = readPublicKey(data, 'composable_policy')
  const gateway = readPublicKey(data, 'gateway')
  const amount = readU64(data, 'input_amount')
  const recipient = readPublicKey(data, 'recipient')
  const paidAt = readI64(data, 'timestamp')
  const recordId = readU32(data, 'record_id')
  const hasMemo = (data.memo ?? null) !== null
  const { trackingId, memo } = hasMemo ? readComposableMemo(data) : { trackingId: null, memo: null }
  return {
    effect: {
      kind: 'payment',
      policy,
      gateway,
      amount,
      paidAt,
      recordId,
      recipient,
      payer: null,
      tokenMint: null,
      ...(memo !== null && { memo }),
      tracksPolicy: trackingId === null,
    },
    filters: { gateway, paymentPolicy: policy, recipient, trackingId },
    normalised: { ...data, memo: data.memo ?? null },
  }
}

const readUserPaymentCreated: EventReader = (data, programId) => {
  const owner = readPublicKey(data, 'owner')
  const tokenMint = readPublicKey(data, 'token_mint')
  const userPayment = deriveUserPayment(programId, owner, tokenMint)
  // Only what is due is looked up there: a message without the account is as good.
  const account = data.token_account
  const tokenAccount = typeof account === 'string' && isPublicKey(account) ? account : null
  return {
    effect: { kind: 'user-payment-created', userPayment, owner, tokenMint, tokenAccount },
    filters: { userPayment },
    normalised: data,
  }
}

const readUserPaymentDeleted: EventReader = data => {
  const userPayment = readPublicKey(data, 'user_payment')
  return {
    effect: { kind: 'user-payment-deleted', userPayment },
    filters: { userPayment },
    normalised: data,
  }
}

const readGatewayCreated: EventReader = (data, programId) => {
  const authority = readPublicKey(data, 'authority')
  const gateway = deriveGateway(programId, authority)
  return {
    effect: { kind: 'gateway-created', gateway, authority },
    filters: { gateway, authority },
    normalised: data,
  }
}

const readGatewayDeleted: EventReader = data => {
  const gateway = readPublicKey(data, 'gateway')
  const authority = readOptionalPublicKey(data, 'authority')
  return {
    effect: { kind: 'gateway-deleted', gateway },
    filters: { gateway, authority },
    normalised: data,
  }
}

const readGatewaySignerChanged: EventReader = data => {
  const gateway = readPublicKey(data, 'gateway')
  const signer = readPublicKey(data, 'new_signer')
  return {
    effect: { kind: 'gateway-signer-changed', gateway, signer },
    filters: { gateway },
    normalised: data,
  }
}

const readGatewayFeeChanged: EventReader = data => ({
  effect: { kind: 'none' },
  filters: { gateway: readPublicKey(data, 'gateway') },
  normalised: data,
})

const keepAsItComes: EventReader = data => ({ effect: { kind: 'none' }, filters: {}, normalised: data })

const READERS: ReadonlyMap<string, EventReader> = new Map([
  ['PaymentRecord', readPaymentRecord],
  ['PaymentPolicyCreated', readPolicyCreated],
  ['PaymentPolicyStatusChanged', policyStatusReader('regular')],
  ['PaymentPolicyDeleted', policyDeletedReader('regular')],
  ['ComposablePolicyCreated', readComposableCreated],
  ['ComposableExecuted', readComposableExecuted],
  ['ComposablePolicyStatusChanged', policyStatusReader('composable')],
  ['ComposablePolicyDeleted', policyDeletedReader('composable')],
  ['UserPaymentCreated', readUserPaymentCreated],
  ['UserPaymentDeleted', readUserPaymentDeleted],
  ['PaymentGatewayCreated', readGatewayCreated],
  ['PaymentGatewayDeleted', readGatewayDeleted],
  ['GatewaySignerChanged', readGatewaySignerChanged],
  ['GatewayFeeBpsChanged', readGatewayFeeChanged],
  ['GatewayFeeRecipientChanged', readGatewayFeeChanged],
])

/** The reader of an event by its bare name; an event that we do not know is kept as it comes. */
export function readerOf(name: string): EventReader {
  return READERS.get(name) ?? keepAsItComes
}
