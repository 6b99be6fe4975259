import { ServiceError } from '@payment-tracking/runtime'
import { RetentionPolicy, StorageType, type JetStreamManager } from 'nats'

export interface StreamConfig {
  streamName: string
  subjectPrefix: string
  /** copies of each message, on as many servers of a cluster; default 1 */
  replicas?: number
}

/** Long enough to replay after a bad week. An operator who wants another limit makes the stream himself. */
const MAX_AGE_DAYS = 30
const NANOS_PER_DAY = 86_400 * 1e9

/** Codes of the JetStream API: no such stream; copies without a cluster. */
const NOT_FOUND = 10059
const NO_CLUSTER = 10074
/** The code of the JetStream API in an error of the client. */
export const codeOf = (error: unknown) => (error as { api_error?: { err_code?: number } }).api_error?.err_code
/** Whether the server said that there is no such stream. */
export const isMissing = (error: unknown): boolean => codeOf(error) === NOT_FOUND

export interface StreamState {
  name: string
  createdAt: Date
}

/** The stream of our name is another one: nothing of ours ever arrives in it. */
export class ForeignStreamError extends ServiceError {
  readonly code = 'STREAM_FOREIGN'
  readonly retry = 'later'

  constructor(name: string, subjects: readonly string[], prefix: string) {
    super(
      `the stream ${name} takes ${subjects.join(', ')} and nothing of ${prefix}.>: ` +
        'set STREAM_NAME and SUBJECT_PREFIX, or add the subjects to the stream',
    )
  }
}

/** A single NATS server cannot hold the copies that the settings ask for. */
export class StreamCopiesError extends ServiceError {
  readonly code = 'STREAM_COPIES'
  readonly retry = 'later'

  constructor(copies: number, options: ErrorOptions) {
    super(
      `STREAM_REPLICAS is ${copies} and NATS_URL leads to a single server: set STREAM_REPLICAS=1, or name a cluster`,
      options,
    )
  }
}

/** Whether a subject of a stream, wildcards included, can match a subject that begins with the prefix. */
export function takesPrefix(subject: string, prefix: string): boolean {
  const tokens = subject.split('.')
  const wanted = prefix.split('.')
  for (const [index, token] of wanted.entries()) {
    if (tokens[index] === '>') return true
    if (tokens[index] !== '*' && tokens[index] !== token) return false
  }
  return tokens.length > wanted.length
}

/** Whether a stream of these subjects takes control messages: `chain.events.*` has no room for their second token. */
export function takesControls(subjects: readonly string[], prefix: string): boolean {
  const wanted = [...prefix.split('.'), 'control', 'finalized']
  return subjects.some(subject => {
    const tokens = subject.split('.')
    const end = tokens.indexOf('>')
    const compared = end === -1 ? wanted : wanted.slice(0, end)
    if (end === -1 ? tokens.length !== wanted.length : wanted.length <= end) return false
    return compared.every((token, at) => tokens[at] === '*' || tokens[at] === token)
  })
}

/**
 * Makes the stream when it is missing; never alters one that exists.
 * @returns its identity: a stream deleted and made again counts its sequences anew
 * @throws ForeignStreamError when the stream of this name takes none of our subjects
 * @throws StreamCopiesError when a single server is asked for copies
 */
export async function ensureStream(manager: JetStreamManager, config: StreamConfig): Promise<StreamState> {
  const { streamName: name, subjectPrefix: prefix, replicas = 1 } = config
  try {
    const info = await manager.streams.info(name)
    const { subjects } = info.config
    if (!subjects.some(subject => takesPrefix(subject, prefix)))
      throw new ForeignStreamError(name, subjects, prefix)
    return { name, createdAt: new Date(info.created) }
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  const adding = manager.streams.add({
    name,
    subjects: [`${prefix}.>`],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    num_replicas: replicas,
    max_bytes: -1,
    max_age: MAX_AGE_DAYS * NANOS_PER_DAY,
    description: 'Events of the payments program, as the indexer decoded them',
  })
  const info = await adding.catch((cause: unknown) => {
    throw codeOf(cause) === NO_CLUSTER ? new StreamCopiesError(replicas, { cause }) : cause
  })
  return { name, createdAt: new Date(info.created) }
}
