// Messages of the chain as ingest stores them, and a database that is emptied, copied and replaced by its copy.
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { readMessage } from '@payment-tracking/domain'
import { verifyDatabase, type Batch } from '@payment-tracking/store/ingest'
import { type Store } from '@payment-tracking/store/core'
import bs58 from 'bs58'
import {
  envelopeOf,
  keyOf,
  PAYMENT,
  POLICY_CREATED,
  type Members,
} from '../../../packages/domain/test/messages.js'

interface ChainPosition {
  kind: 'payment' | 'retracted'
  tx: number
  slot: number
}

/** The tracking ID of every payment, by the memo. */
export const TRACKING_ID = 'order-1'
const signatureOf = (tx: number): string => bs58.encode(new Uint8Array(64).fill(tx))
const slotOf = (slot: number): number => 1_000 + slot
const MARGIN = 1_000
const STREAM = { name: 'MODEL', createdAt: new Date(0) }
const SUBJECT = 'chain.events'

export function batchWith(
  name: string,
  data: Members,
  tx: number,
  slot: number,
  streamSequence: number,
): Batch {
  const position = { slot: slotOf(slot), signature: signatureOf(tx), program_id: DEFAULT_PROGRAM_ID }
  const bytes = Buffer.from(JSON.stringify(envelopeOf(name, data, position)))
  const result = readMessage(bytes, { programId: DEFAULT_PROGRAM_ID, requireProgramId: false })
  if (!result.ok) throw new Error(result.refusal.reason)
  const received = [{ streamSequence, subject: SUBJECT, bytes, event: result.event }]
  return { stream: STREAM, received, refused: [] }
}

/** One message of a model as a batch. @param policy whose payment it is */
export function batchOf({ kind, tx, slot }: ChainPosition, streamSequence: number, policy?: string): Batch {
  if (kind === 'payment') {
    const data = { ...PAYMENT, record_id: tx, ...(policy === undefined ? {} : { payment_policy: policy }) }
    return batchWith('PaymentRecord', data, tx, slot, streamSequence)
  }
  const control = { kind, signature: signatureOf(tx), slot: slotOf(slot) } as const
  const controls = [{ streamSequence, subject: SUBJECT, bytes: Buffer.from('{}'), control }]
  return { stream: STREAM, received: [], refused: [], controls }
}

export const recipientOf = (number: number): string => keyOf(150 + number)

/** A policy that pays `recipientOf` the same number. */
export const policyBatch = (number: number): Batch =>
  batchWith(
    'PaymentPolicyCreated',
    { ...POLICY_CREATED, recipient: recipientOf(number), policy_id: number },
    100 + number,
    -number,
    100 + number,
  )

/** Its address. */
export const policyOf = (number: number): string => policyBatch(number).received[0]!.event.paymentPolicy!

/** The tables that the messages write. */
const TABLES = [
  ...['events', 'retractions', 'trackings', 'dead_letters', 'ingest_batches', 'event_counts'],
  ...['payment_token_stats', 'policies', 'gateways', 'messages', 'work', 'stream_head', 'earlier_epochs'],
]
/** Of earlier traces nothing is left. */
export const EMPTY = [
  ...TABLES.filter(table => table !== 'stream_head').map(table => `delete from ${table}`),
  `update stream_head set position = 0, epoch = gen_random_uuid(), epoch_number = 0, verified_timeline = null,
     stream_created_at = null, stream_sequence = null, reingest_from = null,
     reingest_created_at = null, finalized_slot = 0`,
].join(';')
export const COPY = [
  'drop schema if exists standby cascade',
  'create schema standby',
  ...TABLES.map(table => `create table standby.${table} as table public.${table}`),
].join(';')
/** As promoted: the standby's rows, on another timeline than the one that was verified. */
export const PROMOTE = [
  ...TABLES.map(table => `delete from public.${table}`),
  ...TABLES.map(table => `insert into public.${table} overriding system value table standby.${table}`),
  `update public.stream_head set verified_timeline = 'another timeline'`,
].join(';')

export const verify = (store: Store) =>
  verifyDatabase(store, { readRecord: () => Promise.resolve(null), reingestMargin: MARGIN })
