// What people look at: the consumers of a stream, and keys without making their bucket.
import { NatsError, type NatsConnection } from 'nats'
import { ASKING, BusUnavailableError } from './connection.js'

export interface ConsumerState {
  name: string
  /** messages that were not delivered yet */
  unread: number
  /** messages that were delivered and are not acknowledged */
  inFlight: number
  /** of these, delivered more than once */
  redelivered: number
  /** every message up to this sequence was acknowledged */
  acknowledgedSequence: number
}

export interface KeyState {
  /** JSON text; empty after the key was deleted, which keeps its revision: the next writer must name it */
  value: string
  revision: number
  writtenAt: Date
}

/** JetStream has no such stream, or no such message. */
const isMissing = (error: unknown): boolean => error instanceof NatsError && error.api_error?.code === 404

/** @throws the error, unless it says that what was asked for is not there */
export const undefinedIfMissing = (error: unknown): undefined => {
  if (!isMissing(error)) throw error
}

/** @throws BusUnavailableError */
export async function listConsumers(connection: NatsConnection, stream: string): Promise<ConsumerState[]> {
  const consumers: ConsumerState[] = []
  try {
    const manager = await connection.jetstreamManager()
    for await (const info of manager.consumers.list(stream))
      consumers.push({
        name: info.name,
        unread: info.num_pending,
        inFlight: info.num_ack_pending,
        redelivered: info.num_redelivered,
        acknowledgedSequence: info.ack_floor.stream_seq,
      })
  } catch (cause) {
    if (isMissing(cause)) return []
    throw new BusUnavailableError('the consumers cannot be listed', { cause })
  }
  return consumers.sort((a, b) => a.name.localeCompare(b.name))
}

/**
 * Reads a key of a bucket that another process made.
 * @returns undefined when there is no such bucket or key
 * @throws BusUnavailableError
 */
export async function peekKey(
  connection: NatsConnection,
  bucket: string,
  key: string,
): Promise<KeyState | undefined> {
  try {
    const manager = await connection.jetstreamManager(ASKING)
    const message = await manager.streams.getMessage(`KV_${bucket}`, { last_by_subj: `$KV.${bucket}.${key}` })
    const isDeleted = message.header.get('KV-Operation') !== ''
    return { value: isDeleted ? '' : message.string(), revision: message.seq, writtenAt: message.time }
  } catch (cause) {
    if (isMissing(cause)) return undefined
    throw new BusUnavailableError(`the key ${bucket}.${key} cannot be read`, { cause })
  }
}
