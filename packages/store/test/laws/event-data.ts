// The data of a step's event, with the fields of the program's IDL.
import { Enum, NO_POLICY, type Fields } from '@payment-tracking/testkit/oracle'
import { addressesOf, MINTS, RECIPIENTS, STRANGER, type Addresses } from './addresses.js'
import type { Action, MemoName, PolicyType } from './steps.js'

/** ms since 1970: the last Friday of a January, late in its evening. */
export const BEGINNING = Date.parse('2026-01-30T22:58:00.000Z')

export const trackingIdOf = (world: number, memo: MemoName): string | null =>
  memo === 'a' || memo === 'b' ? `order ${world}${memo}` : null

function memoOf(world: number, name: MemoName, length = 64): Uint8Array {
  const memo = new Uint8Array(length)
  const text = trackingIdOf(world, name)
  if (text !== null) memo.set(Buffer.from(text))
  // The first of two bytes of UTF-8 without the second.
  if (name === 'bad') memo.set([0x61, 0xc3, 0x28])
  return memo
}

const momentOf = (seconds: number): bigint => BigInt(BEGINNING / 1000 + seconds)

function policyTypeOf(type: PolicyType): Enum {
  switch (type.kind) {
    case 'Subscription':
      return new Enum('Subscription', {
        amount: 5n,
        auto_renew: type.autoRenew,
        max_renewals: type.maxRenewals,
        payment_frequency: new Enum(type.frequency.name, type.frequency.seconds),
        next_payment_due: momentOf(type.firstDue),
        padding: [0, 0],
      })
    case 'Milestone':
      return new Enum('Milestone', {
        milestone_amounts: [1n, 2n, 3n, 2n ** 64n - 1n],
        milestone_timestamps: [1n, 2n, 3n, 4n],
        current_milestone: type.current,
        release_condition: 1,
        total_milestones: type.total,
        escrow_amount: 6n,
      })
    case 'PayAsYouGo':
      return new Enum('PayAsYouGo', {
        max_amount_per_period: 100n,
        max_chunk_amount: 10n,
        period_length_seconds: type.length,
        current_period_start: momentOf(type.start),
        current_period_total: type.total,
        expiry_date: null,
      })
    case 'OneTime':
      return new Enum('OneTime', { amount: 5n, due_date: 0n, expiry_date: momentOf(86_400) })
    case 'UpTo':
      return new Enum('UpTo', { max_amount: 50n, valid_after: 0n, deadline: momentOf(86_400) })
    case 'Barter':
      return new Enum('Barter', { goods: 3 })
  }
}

interface Context {
  world: number
  /** of a payment of a policy */
  recordId: number
  /** Unix seconds of the block */
  time: number
}

/** @returns the event's name and data */
export function eventOf(action: Action, context: Context): { name: string; data: Fields } {
  const { world } = context
  const addresses = addressesOf(world)
  switch (action.kind) {
    case 'gateway created': {
      const { authority } = addresses.gateways[action.gateway]!
      const data = { authority, fee_recipient: authority, gateway_fee_bps: 10, name: new Uint8Array(32) }
      return { name: 'PaymentGatewayCreated', data: { ...data, url: new Uint8Array(64) } }
    }
    case 'gateway deleted': {
      const { authority, address } = addresses.gateways[action.gateway]!
      return {
        name: 'PaymentGatewayDeleted',
        data: { gateway: address, authority, name: new Uint8Array(32) },
      }
    }
    case 'signer changed': {
      const { authority, address: gateway } = addresses.gateways[action.gateway]!
      const signer = addresses.signers[action.signer]!
      return { name: 'GatewaySignerChanged', data: { gateway, old_signer: authority, new_signer: signer } }
    }
    case 'user payment created': {
      const { owner, mint } = addresses.userPayments[action.userPayment]!
      return { name: 'UserPaymentCreated', data: { owner, token_account: STRANGER, token_mint: mint } }
    }
    case 'user payment deleted': {
      const { owner, address } = addresses.userPayments[action.userPayment]!
      return { name: 'UserPaymentDeleted', data: { user_payment: address, owner, rent_payer: owner } }
    }
    case 'other':
      return { name: action.name, data: { emergency: true, gateway: addresses.gateways[0]!.address } }
    case 'transfer':
      return { name: 'PaymentRecord', data: recordOf(action, NO_POLICY, { ...context, recordId: 0 }) }
    default:
      return policyEventOf(action, addresses, context)
  }
}

type PolicyAction = Extract<Action, { policy: number }>

function policyEventOf(action: PolicyAction, addresses: Addresses, context: Context) {
  const { family, address, userPayment, policyId, inputMint } = addresses.policies[action.policy]!
  const isRegular = family === 'regular'
  const named: Fields = isRegular ? { payment_policy: address } : { composable_policy: address }
  const prefix = isRegular ? 'PaymentPolicy' : 'ComposablePolicy'
  switch (action.kind) {
    case 'policy created': {
      const data: Fields = {
        user_payment: userPayment.address,
        recipient: RECIPIENTS[action.recipient]!,
        gateway: addresses.gateways[action.gateway]!.address,
        policy_id: policyId,
        policy_type: policyTypeOf(action.type),
      }
      if (isRegular)
        return { name: `${prefix}Created`, data: { ...data, memo: memoOf(context.world, action.memo) } }
      const config = { input_mint: inputMint, output_mint: STRANGER }
      const memo = memoOf(context.world, action.memo, 32)
      return { name: `${prefix}Created`, data: { ...named, ...data, memo, forward_config: config } }
    }
    case 'policy deleted': {
      const owner: Fields = isRegular ? { owner: userPayment.owner } : { user_payment: userPayment.address }
      return { name: `${prefix}Deleted`, data: { ...named, ...owner, policy_id: policyId } }
    }
    case 'status changed': {
      const data = { ...named, old_status: new Enum('Active'), new_status: new Enum(action.status) }
      return { name: `${prefix}StatusChanged`, data }
    }
    case 'payment': {
      if (isRegular) return { name: 'PaymentRecord', data: recordOf(action, address, context) }
      const { gateway, amount, own, memo, later } = action
      const data: Fields = {
        ...named,
        gateway: addresses.gateways[gateway]!.address,
        target_program: STRANGER,
        input_amount: amount,
        output_amount: 1n,
        gateway_fee: 0n,
        protocol_fee: 0n,
        recipient: RECIPIENTS[own.recipient ?? 0]!,
        timestamp: BigInt(context.time + later),
        record_id: context.recordId,
      }
      // Newer programs write a memo.
      const isNewer = own.payer
      return {
        name: 'ComposableExecuted',
        data: isNewer ? { ...data, memo: memoOf(context.world, memo, 32) } : data,
      }
    }
  }
}

function recordOf(
  action: Extract<Action, { own: unknown }>,
  policy: string,
  { world, recordId, time }: Context,
): Fields {
  const { gateway, amount, memo, own } = action
  const addresses = addressesOf(world)
  return {
    payment_policy: policy,
    gateway: addresses.gateways[gateway]!.address,
    amount,
    timestamp: BigInt(time + ('later' in action ? action.later : 0)),
    memo: memoOf(world, memo),
    record_id: recordId,
    ...(own.payer ? { payer: addresses.userPayments[1]!.owner } : {}),
    ...(own.recipient === null ? {} : { recipient: RECIPIENTS[own.recipient]! }),
    ...(own.mint === null ? {} : { token_mint: MINTS[own.mint]! }),
  }
}
