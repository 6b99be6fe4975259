import {
  commitBatch,
  sqlStateOf,
  StoreContentsError,
  StoreRefusedError,
  StoreTimeoutError,
  StoreUnavailableError,
  StoreUnverifiedError,
  type Batch,
  type CommittedBatch,
  type ReceivedControl,
  type ReceivedMessage,
  type RefusedMessage,
  type Store,
} from '@payment-tracking/store'

/**
 * Stores a batch, and isolates a message that makes the transaction fail: Postgres refuses a value, or an unforeseen
 * error occurs. `storeBatch` splits the batch in halves until it has found that message, and stores the message's bytes
 * as a dead letter. All other messages are stored.
 * @returns the committed batches, one entry a transaction
 * @throws StoreUnverifiedError: the database must be verified first
 * @throws StoreUnavailableError, StoreTimeoutError, StoreFaultError (tables or rights are missing): the database is at
 *   fault, not a message. Committed parts stay committed, and storing the same messages again changes nothing
 */
export async function storeBatch(store: Store, batch: Batch): Promise<CommittedBatch[]> {
  try {
    return [await commitBatch(store, batch)]
  } catch (error) {
    if (isFaultOfDatabase(error)) throw error
    const parts = splitBatch(batch)
    if (parts !== null) {
      return [...(await storeBatch(store, parts[0])), ...(await storeBatch(store, parts[1]))]
    }
    const [only] = [...batch.refused, ...(batch.controls ?? []), ...batch.received]
    if (only === undefined) throw error
    return storeAlone(store, batch, only)
  }
}

/**
 * Splits a batch in two: first by kind (refused messages, control messages, events), then each kind in halves.
 * @returns null for a single message
 */
function splitBatch(batch: Batch): [Batch, Batch] | null {
  const { refused, controls = [], received } = batch
  const nothing = { ...batch, refused: [], controls: [], received: [] }
  if (refused.length > 0 && controls.length + received.length > 0) {
    return [
      { ...nothing, refused },
      { ...batch, refused: [] },
    ]
  }
  if (controls.length > 0 && received.length > 0) {
    return [
      { ...nothing, controls },
      { ...nothing, received },
    ]
  }
  if (refused.length + controls.length + received.length < 2) return null
  const half = <T>(of: readonly T[], from: 0 | 1) => {
    const middle = Math.ceil(of.length / 2)
    return from === 0 ? of.slice(0, middle) : of.slice(middle)
  }
  const part = (which: 0 | 1): Batch => ({
    ...batch,
    refused: half(refused, which),
    controls: half(controls, which),
    received: half(received, which),
  })
  return [part(0), part(1)]
}

/**
 * Tries a single message once more, on a database that has just answered. An outage must never turn a good message into
 * a dead letter, whatever error the driver reports for the outage.
 */
async function storeAlone(
  store: Store,
  batch: Batch,
  message: RefusedMessage | ReceivedMessage | ReceivedControl,
): Promise<CommittedBatch[]> {
  await store.ping()
  try {
    return [await commitBatch(store, batch)]
  } catch (error) {
    if (isFaultOfDatabase(error)) throw error
    const { streamSequence, subject, bytes } = message
    const [code, reason] =
      error instanceof StoreRefusedError
        ? (['STORE_REFUSED', error.message] as const)
        : (['INGEST_FAULT', describeFault(error)] as const)
    const refused = { streamSequence, subject, bytes, code, reason }
    const refusal = { ...batch, received: [], controls: [], refused: [refused] }
    return [await commitBatch(store, refusal)]
  }
}

/**
 * Missing tables, columns, functions or rights: the migrations did not run, or another program changed the database.
 */
const UNPREPARED = new Set(['42P01', '42703', '42883', '42501', '3F000'])

const isFaultOfDatabase = (error: unknown): boolean =>
  error instanceof StoreUnavailableError ||
  error instanceof StoreContentsError ||
  error instanceof StoreTimeoutError ||
  error instanceof StoreUnverifiedError ||
  UNPREPARED.has(sqlStateOf(error) ?? '')

/** The innermost message: the outer messages only say that a database call failed. */
export function describeFault(error: unknown): string {
  let current = error
  while (current instanceof Error && current.cause instanceof Error) current = current.cause
  const text = current instanceof Error ? `${current.name}: ${current.message}` : String(current)
  return `an error that ingest did not foresee: ${text}`.replaceAll('\0', '').slice(0, 1_000)
}
