// A made-up chain for tests and the demo: events as the indexer publishes them, with addresses derived from each other
// as on the real chain.
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import {
  deriveGateway,
  derivePolicy,
  deriveUserPayment,
  DIRECT_TRANSFER_POLICY,
} from '@payment-tracking/domain'
import { buildAddress, buildKeyPair, buildSignature, toFixedBytes, type KeyPair } from './keys.js'

/** One message of the stream; `JSON.stringify` of it is what the indexer sends. */
export interface ChainMessage {
  slot: number
  signature: string
  program_id: string
  index: number
  event_name: string
  data: Record<string, unknown>
  timestamp: string
}

export interface ChainGateway {
  address: string
  authority: KeyPair
  created: ChainMessage
}

export interface ChainUserPayment {
  address: string
  owner: string
  tokenMint: string
  created: ChainMessage
}

/** A frequency by name, or an interval in seconds. */
export type Frequency = 'Daily' | 'Weekly' | 'Monthly' | 'Quarterly' | 'SemiAnnually' | 'Annually' | number

export interface ChainPolicy {
  address: string
  gateway: string
  userPayment: ChainUserPayment
  recipient: string
  policyId: number
  trackingId: string
  amount: bigint
  frequency: Frequency
  created: ChainMessage
}

export interface PolicyTerms {
  trackingId: string
  recipient?: string
  amount?: bigint
  frequency?: Frequency
  autoRenew?: boolean
  maxRenewals?: number | null
  /** Unix seconds; default: the time of the creation. */
  nextPaymentDue?: number
}

export interface DirectPayment {
  gateway: string
  payer: string
  recipient: string
  tokenMint: string
  amount: bigint
  trackingId: string
}

export interface ChainOptions {
  /** The seed of every address and signature. */
  seed: string
  programId?: string
  firstSlot?: number
  /** The time of events, in milliseconds; default: the machine's clock. */
  now?: () => number
}

/** @see ChainMessage for what the functions of the result make */
export function buildChain({
  seed,
  programId = DEFAULT_PROGRAM_ID,
  firstSlot = 390_000_000,
  now = Date.now,
}: ChainOptions) {
  let slot = firstSlot
  let serial = 0
  const policyIds = new Map<string, number>()
  const recordIds = new Map<string, number>()
  const nextIn = (counts: Map<string, number>, key: string): number => {
    const next = (counts.get(key) ?? 0) + 1
    counts.set(key, next)
    return next
  }
  const name = (kind: string) => `${seed}/${kind}/${(serial += 1)}`

  /** Any event, in a separate transaction. */
  const emit = (eventName: string, data: Record<string, unknown>): ChainMessage => ({
    slot: (slot += 1),
    signature: buildSignature(name('signature')),
    program_id: programId,
    index: 0,
    event_name: eventName,
    data,
    timestamp: new Date(now()).toISOString(),
  })
  const nowSeconds = () => Math.floor(now() / 1000)

  return {
    emit,

    openGateway(
      title = 'Example Gateway',
      authority = buildKeyPair(name('authority')),
    ): Promise<ChainGateway> {
      const created = emit('PaymentGatewayCreated', {
        authority: authority.publicKey,
        fee_recipient: buildAddress(name('fees')),
        gateway_fee_bps: 100,
        name: toFixedBytes(title, 32),
        url: toFixedBytes('https://gateway.example', 64),
      })
      const address = deriveGateway(programId, authority.publicKey)
      return Promise.resolve({ address, authority, created })
    },

    openUserPayment(
      tokenMint = buildAddress(`${seed}/mint`),
      owner = buildKeyPair(name('owner')).publicKey,
    ): Promise<ChainUserPayment> {
      const created = emit('UserPaymentCreated', {
        owner,
        token_account: buildAddress(name('account')),
        token_mint: tokenMint,
      })
      const address = deriveUserPayment(programId, owner, tokenMint)
      return Promise.resolve({ address, owner, tokenMint, created })
    },

    openPolicy(
      gateway: ChainGateway,
      userPayment: ChainUserPayment,
      terms: PolicyTerms,
    ): Promise<ChainPolicy> {
      const { trackingId, amount = 1_000_000n, frequency = 'Monthly' } = terms
      const recipient = terms.recipient ?? buildAddress(`${seed}/recipient/${gateway.address}`)
      const policyId = nextIn(policyIds, userPayment.address)
      const created = emit('PaymentPolicyCreated', {
        user_payment: userPayment.address,
        recipient,
        gateway: gateway.address,
        policy_id: policyId,
        policy_type: {
          variant: 'Subscription',
          amount: String(amount),
          auto_renew: terms.autoRenew ?? true,
          max_renewals: terms.maxRenewals ?? null,
          payment_frequency:
            typeof frequency === 'number'
              ? { variant: 'Custom', field: String(frequency) }
              : { variant: frequency },
          next_payment_due: String(terms.nextPaymentDue ?? nowSeconds()),
        },
        memo: toFixedBytes(trackingId, 64),
      })
      const address = derivePolicy(programId, userPayment.address, policyId)
      return Promise.resolve({
        address,
        gateway: gateway.address,
        userPayment,
        recipient,
        policyId,
        trackingId,
        amount,
        frequency,
        created,
      })
    },

    /** The next payment of a policy. */
    pay(policy: ChainPolicy, amount = policy.amount): ChainMessage {
      return emit('PaymentRecord', {
        payment_policy: policy.address,
        gateway: policy.gateway,
        amount: String(amount),
        timestamp: String(nowSeconds()),
        memo: toFixedBytes(policy.trackingId, 64),
        record_id: nextIn(recordIds, policy.address),
      })
    },

    /** A payment without a policy. */
    payDirectly(payment: DirectPayment): ChainMessage {
      return emit('PaymentRecord', {
        payment_policy: DIRECT_TRANSFER_POLICY,
        gateway: payment.gateway,
        amount: String(payment.amount),
        timestamp: String(nowSeconds()),
        memo: toFixedBytes(payment.trackingId, 64),
        record_id: 0,
        payer: payment.payer,
        recipient: payment.recipient,
        token_mint: payment.tokenMint,
      })
    },

    changeStatus(policy: ChainPolicy, from: 'Active' | 'Paused', to: 'Active' | 'Paused'): ChainMessage {
      return emit('PaymentPolicyStatusChanged', {
        payment_policy: policy.address,
        old_status: { variant: from },
        new_status: { variant: to },
      })
    },

    deletePolicy(policy: ChainPolicy): ChainMessage {
      return emit('PaymentPolicyDeleted', {
        payment_policy: policy.address,
        owner: policy.userPayment.owner,
        policy_id: policy.policyId,
      })
    },
  }
}

export type Chain = ReturnType<typeof buildChain>
