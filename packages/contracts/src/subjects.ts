/** The stream and its subjects, as the indexer publishes them. */
export const DEFAULT_STREAM = 'CHAIN_EVENTS'
export const DEFAULT_SUBJECT_PREFIX = 'chain.events'

/** The durable consumer that all ingest replicas share. */
export const INGEST_CONSUMER = 'ingest'

/** The JetStream bucket of the indexer's lease and checkpoint: beside the stream that they describe. */
export const indexerBucketOf = (stream: string): string => `INDEXER_${stream}`

/** The program whose events are payments. */
export const DEFAULT_PROGRAM_ID = 'TRibg8W8zmPHQqWtyAD1rEBRXEdyU13Mu6qX1Sg42tJ'

/** A program's prefix on an event name: `tributary_PaymentRecord` is `PaymentRecord`. */
export const EVENT_NAME_PREFIX = /^[a-z0-9_]+_(?=[A-Z])/
export const EVENT_NAME = /^[A-Za-z0-9_]{1,64}$/

/** The subject of an event, as AsyncAPI writes it. */
export const CHAIN_SUBJECT = `${DEFAULT_SUBJECT_PREFIX}.{eventName}`

/** The subject of a control message, by its kind: `finalized`, `retracted`, `gap`, `funds`. */
export const controlSubjectOf = (prefix: string, kind: string): string => `${prefix}.control.${kind}`

/** @returns the kind of a control message by its subject; null for the subject of an event */
export function controlKindOf(prefix: string, subject: string): string | null {
  const start = controlSubjectOf(prefix, '')
  return subject.startsWith(start) ? subject.slice(start.length) : null
}

/** Where the indexer asks ingest which token accounts due payments need: a question, on no stream. */
export const dueAccountsSubjectOf = (stream: string): string => `INDEXER_ASKS.${stream}.due-accounts`

/** The subject of one event: by its name, or `unparsed` if the name cannot be part of a subject. */
export function subjectOf(prefix: string, eventName: unknown): string {
  const bare = typeof eventName === 'string' ? eventName.replace(EVENT_NAME_PREFIX, '') : ''
  return `${prefix}.${EVENT_NAME.test(bare) ? bare : 'unparsed'}`
}
