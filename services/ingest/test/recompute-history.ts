// A policy with more payments than one page of work holds, as messages.
import { createHash } from 'node:crypto'
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { derivePolicy, deriveUserPayment } from '@payment-tracking/domain'
import { runTaskPage, type TaskPage } from '@payment-tracking/store/ingest'
import { type Store } from '@payment-tracking/store/core'
import bs58 from 'bs58'
import { ingestSubjects, PROGRAM } from './ingest-messages.js'

export const keyOf = (label: string): string => bs58.encode(createHash('sha256').update(label).digest())
export const signatureOf = (label: string): string => bs58.encode(createHash('sha512').update(label).digest())
export const memoOf = (text: string): number[] =>
  [...Buffer.concat([Buffer.from(text), Buffer.alloc(64)])].slice(0, 64)

export const [OWNER, MINT, GATEWAY, RECIPIENT] = ['wallet', 'mint', 'gateway', 'recipient'].map(keyOf) as [
  string,
  string,
  string,
  string,
]
export const USER_PAYMENT = deriveUserPayment(DEFAULT_PROGRAM_ID, OWNER, MINT)
export const policyOf = (id: number) => derivePolicy(DEFAULT_PROGRAM_ID, USER_PAYMENT, id)
/** More payments than one page derives, and not a multiple of a page. */
export const MANY = 1_203
export const START = 1_780_000_000

export interface Message {
  subject: string
  bytes: Uint8Array
}

/** An event of the slot, one second after the event of the slot before. */
export const say = (name: string, slot: number, data: object): Message => ({
  subject: `chain.events.${name}`,
  bytes: Buffer.from(
    JSON.stringify({
      slot,
      signature: signatureOf(`${name} ${slot}`),
      index: 0,
      event_name: name,
      data,
      timestamp: new Date((START + slot) * 1000).toISOString(),
    }),
  ),
})

export const userPayment = say('UserPaymentCreated', 1, {
  owner: OWNER,
  token_account: keyOf('a'),
  token_mint: MINT,
})
export const created = (id: number, slot: number, policyType: object) =>
  say('PaymentPolicyCreated', slot, {
    user_payment: USER_PAYMENT,
    recipient: RECIPIENT,
    gateway: GATEWAY,
    policy_id: id,
    policy_type: policyType,
    memo: memoOf(`order-${id}`),
  })
/** A period ends 100 s after the payment that began it. */
export const PERIODS = {
  PayAsYouGo: {
    max_amount_per_period: '9999999',
    max_chunk_amount: '9',
    period_length_seconds: '100',
    current_period_start: String(START),
    current_period_total: '0',
    expiry_date: null,
  },
}
export const pay = (slot: number, id = 1) =>
  say('PaymentRecord', slot, {
    payment_policy: policyOf(id),
    gateway: GATEWAY,
    amount: String(5_000 + (slot % 97)),
    timestamp: String(START + slot),
    memo: memoOf(`order-${id}`),
    record_id: slot,
  })
export const retraction = (slot: number): Message => ({
  subject: 'chain.events.control.retracted',
  bytes: Buffer.from(JSON.stringify({ signature: signatureOf(`PaymentRecord ${slot}`), slot })),
})
export const payments = Array.from({ length: MANY }, (_, at) => pay(10 + 3 * at))

let sequence = 0
export const ingest = (store: Store, messages: readonly Message[]) => {
  const firstSequence = sequence + 1
  sequence += messages.length
  return ingestSubjects(store, messages, { batchSize: 400, firstSequence })
}

export const pageOf = (store: Store) => runTaskPage(store, { programId: PROGRAM.programId })

export async function drain(store: Store): Promise<TaskPage[]> {
  const pages: TaskPage[] = []
  for (let done = await pageOf(store); done.length > 0; done = await pageOf(store)) pages.push(...done)
  return pages
}
