import {
  bisect,
  sqlStateOf,
  StoreContentsError,
  StoreRefusedError,
  StoreTimeoutError,
  StoreUnavailableError,
  StoreUnverifiedError,
  type Store,
} from '@payment-tracking/store/core'
import {
  commitBatch,
  type Batch,
  type CommittedBatch,
  type ReceivedControl,
  type ReceivedMessage,
  type RefusedMessage,
} from '@payment-tracking/store/ingest'

type Message = ReceivedControl | ReceivedMessage | RefusedMessage
type Kind = 'controls' | 'received' | 'refused'

/**
 * Stores a batch, and isolates a message that makes the transaction fail: Postgres refuses a value, or an unforeseen
 * error occurs. The batch is halved until that message is found (`bisect`), whose bytes are stored as a dead letter. All other
 * messages are stored.
 * @returns the committed batches, one entry a transaction
 * @throws StoreUnverifiedError: the database must be verified first
 * @throws StoreUnavailableError, StoreTimeoutError, StoreFaultError (tables or rights are missing): the database is at
 *   fault, not a message. Committed parts stay committed, and storing the same messages again changes nothing
 */
export function storeBatch(store: Store, batch: Batch): Promise<CommittedBatch[]> {
  const { refused, controls = [], received } = batch
  const of = (kind: Kind, messages: readonly Message[]) => messages.map(message => ({ kind, message }))
  // Retractions come first, as in one transaction.
  const messages = [...of('refused', refused), ...of('controls', controls), ...of('received', received)]
  const batchOf = (part: typeof messages): Batch => {
    const only = (kind: Kind) =>
      part.filter(each => each.kind === kind).map(({ message }) => message) as never[]
    return { ...batch, refused: only('refused'), controls: only('controls'), received: only('received') }
  }
  return bisect(
    messages,
    part => commitBatch(store, part.length === messages.length ? batch : batchOf([...part])),
    {
      isTransient: isFaultOfDatabase,
      alone: async one => [await storeAlone(store, batchOf([one]), one.message)],
    },
  )
}

/**
 * Tries a single message once more, on a database that has just answered. An outage must never turn a good message into
 * a dead letter, whatever error the driver reports for the outage.
 */
async function storeAlone(store: Store, batch: Batch, message: Message): Promise<CommittedBatch> {
  await store.ping()
  try {
    return await commitBatch(store, batch)
  } catch (error) {
    if (isFaultOfDatabase(error)) throw error
    const { streamSequence, subject, bytes } = message
    const [code, reason] =
      error instanceof StoreRefusedError
        ? (['STORE_REFUSED', error.message] as const)
        : (['INGEST_FAULT', describeFault(error)] as const)
    const refused = { streamSequence, subject, bytes, code, reason }
    const refusal = { ...batch, received: [], controls: [], refused: [refused] }
    return commitBatch(store, refusal)
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
