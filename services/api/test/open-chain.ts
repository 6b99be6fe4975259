// A chain for tests, event by event, stored as ingest stores it.
import { createHash } from 'node:crypto'
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { derivePolicy, deriveUserPayment, readControlMessage, readMessage } from '@payment-tracking/domain'
import { commitBatch, type ReceivedControl, type ReceivedMessage } from '@payment-tracking/store/ingest'
import { type Store } from '@payment-tracking/store/core'
import bs58 from 'bs58'

/** A public key; the same for the same label. */
export const keyOf = (label: string): string => bs58.encode(createHash('sha256').update(label).digest())
export const signatureOf = (label: string): string => bs58.encode(createHash('sha512').update(label).digest())
export const memoOf = (text: string): number[] =>
  [...Buffer.concat([Buffer.from(text), Buffer.alloc(64)])].slice(0, 64)

export const NO_POLICY = '11111111111111111111111111111111'

type Fields = Record<string, unknown>

export interface StoredPolicy {
  address: string
  owner: string
  mint: string
  gateway: string
  recipient: string
  memo: string
}

const SETTINGS = { programId: DEFAULT_PROGRAM_ID, requireProgramId: false }

export function openChain(store: Store) {
  const stream = { name: 'CHAIN', createdAt: new Date(0) }
  let sequence = 0
  let policies = 0
  const slots = new Map<string, number>()
  const records = new Map<string, number>()
  const said: { name: string; message: Fields; streamSequence: number }[] = []
  const commit = async (name: string, message: Fields, streamSequence: number, again: boolean) => {
    const bytes = Buffer.from(JSON.stringify(message))
    const result = readMessage(bytes, SETTINGS)
    if (!result.ok) throw new Error(`${name}: ${result.refusal.reason}`)
    const received: ReceivedMessage[] = [
      { streamSequence, subject: `chain.events.${name}`, bytes, event: result.event },
    ]
    await commitBatch(store, { stream, received, refused: [], again })
  }
  const commitControl = async (kind: string, message: Fields) => {
    const bytes = Buffer.from(JSON.stringify(message))
    const result = readControlMessage(kind, bytes)
    if (!result.ok) throw new Error(result.refusal.reason)
    const source = { streamSequence: ++sequence, subject: `chain.events.control.${kind}`, bytes }
    const controls: ReceivedControl[] = [{ ...source, control: result.control }]
    await commitBatch(store, { stream, received: [], refused: [], controls })
  }
  /** Stores an event. @param at Unix seconds. @returns its signature */
  const say = async (
    name: string,
    data: Fields,
    at: number,
    given: { signature?: string | undefined; index?: number; slot?: number } = {},
  ): Promise<string> => {
    const { signature = signatureOf(`${++sequence}`), index = 0 } = given
    const slot = given.slot ?? slots.get(signature) ?? 1_000 + ++sequence
    slots.set(signature, slot)
    const message = {
      slot,
      signature,
      index,
      event_name: name,
      data,
      timestamp: new Date(at * 1000).toISOString(),
    }
    said.push({ name, message, streamSequence: ++sequence })
    await commit(name, message, sequence, false)
    return signature
  }
  return {
    store,
    say,
    /**
     * Stores messages again, as `npm run operate -- reingest` does.
     * @param changes fields that the copies have instead
     * @param signature only the messages of this transaction
     */
    async repeat(changes?: Fields, signature?: string) {
      for (const { name, message, streamSequence } of said)
        if (signature === undefined || message.signature === signature)
          await commit(name, { ...message, ...changes }, streamSequence, true)
    },
    /** Stores a policy, and its user payment. */
    async policy({
      id = ++policies,
      type,
      at,
      ...given
    }: Partial<Omit<StoredPolicy, 'address'>> & {
      id?: number
      type: Fields
      at: number
    }): Promise<StoredPolicy> {
      const policy = {
        owner: keyOf('wallet'),
        mint: keyOf('mint'),
        gateway: keyOf('gateway'),
        recipient: keyOf('recipient'),
        memo: `order-${id}`,
        ...given,
      }
      const userPayment = deriveUserPayment(DEFAULT_PROGRAM_ID, policy.owner, policy.mint)
      await say(
        'UserPaymentCreated',
        { owner: policy.owner, token_account: keyOf('account'), token_mint: policy.mint },
        at,
      )
      await say(
        'PaymentPolicyCreated',
        {
          user_payment: userPayment,
          recipient: policy.recipient,
          gateway: policy.gateway,
          policy_id: id,
          policy_type: type,
          memo: memoOf(policy.memo),
        },
        at,
      )
      return { ...policy, address: derivePolicy(DEFAULT_PROGRAM_ID, userPayment, id) }
    },
    /** Stores a payment of a policy. @returns its signature */
    pay(
      policy: StoredPolicy,
      at: number,
      {
        amount = 1000,
        signature,
        memo = policy.memo,
      }: { amount?: number; signature?: string; memo?: string } = {},
    ) {
      const record = (records.get(policy.address) ?? 0) + 1
      records.set(policy.address, record)
      return say(
        'PaymentRecord',
        {
          payment_policy: policy.address,
          gateway: policy.gateway,
          amount: String(amount),
          timestamp: String(at),
          memo: memoOf(memo),
          record_id: record,
        },
        at,
        { signature },
      )
    },
    /** Stores a change of a policy's status. */
    change(address: string, status: string, at: number, before = 'Active') {
      const [old_status, new_status] = [{ [before]: null }, { [status]: null }]
      return say('PaymentPolicyStatusChanged', { payment_policy: address, old_status, new_status }, at)
    },
    /** Stores the end of a policy. */
    remove: (address: string, owner: string, at: number) =>
      say('PaymentPolicyDeleted', { payment_policy: address, owner, policy_id: 1 }, at),
    /** Stores a payment without a policy. */
    transfer(payment: Fields, at: number, options?: { signature?: string; index?: number }) {
      const parties = { payer: keyOf('payer'), recipient: keyOf('recipient'), token_mint: keyOf('mint') }
      const record = {
        payment_policy: NO_POLICY,
        record_id: 0,
        timestamp: String(at),
        memo: memoOf('direct'),
      }
      return say('PaymentRecord', { ...record, ...parties, ...payment }, at, options)
    },
    /** The whole program is paused, or goes on. */
    pause: (is: boolean, at: number) =>
      say('EmergencyPauseChanged', { admin: keyOf('admin'), was_paused: !is, is_paused: is }, at),
    /** Makes all stored events final. */
    finalize: () => commitControl('finalized', { slot: 1_000 + ++sequence }),
    retract: (signature: string) => commitControl('retracted', { signature, slot: slots.get(signature) }),
  }
}

export type Chain = ReturnType<typeof openChain>

export const subscriptionOf = (fields: Fields = {}): Fields => ({
  Subscription: {
    amount: '1000',
    auto_renew: true,
    max_renewals: null,
    payment_frequency: { Monthly: null },
    next_payment_due: '0',
    ...fields,
  },
})

export const payAsYouGoOf = (fields: Fields = {}): Fields => ({
  PayAsYouGo: {
    max_amount_per_period: '9',
    max_chunk_amount: '9',
    period_length_seconds: '9',
    current_period_start: '0',
    current_period_total: '0',
    expiry_date: null,
    ...fields,
  },
})
