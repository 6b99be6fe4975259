// Keys and values in JetStream, written by compare-and-set alone: a value read at a revision is replaced only while
// that revision is still the last. A process that was paused finds the key changed and cannot overwrite it.
import { ServiceError } from '@payment-tracking/runtime'
import type { NatsConnection } from 'nats'
import { changeServer } from './change-server.js'
import { BusUnavailableError } from './connection.js'
import { peekKey } from './observe.js'

export interface KeyValueEntry {
  /** JSON text */
  value: string
  revision: number
}

export interface KeyValue {
  /** Asks the server that leads the bucket: while none does, nothing can be written, and no follower answers. */
  get(key: string): Promise<KeyValueEntry | undefined>
  /**
   * Writes a value in place of the one read at `revision`; 0 when there was none.
   * @returns the new revision
   * @throws RevisionConflictError when another process wrote meanwhile
   */
  set(key: string, value: string, revision: number): Promise<number>
}

/** Another process wrote the key since it was read. */
export class RevisionConflictError extends ServiceError {
  readonly code = 'REVISION_CONFLICT'
  readonly retry = 'never'
}

/** JetStream: the last sequence of the subject is another one. */
const WRONG_LAST_SEQUENCE = 10071

const isWrongSequence = (error: unknown): boolean =>
  (error as { api_error?: { err_code?: number } }).api_error?.err_code === WRONG_LAST_SEQUENCE

export async function openKeyValue(
  connection: NatsConnection,
  bucket: string,
  stream: string,
): Promise<KeyValue> {
  const manager = await connection.jetstreamManager()
  const { num_replicas: replicas } = (await manager.streams.info(stream)).config
  const view = await connection.jetstream().views.kv(bucket, { history: 1, replicas })
  const unavailable = (cause: unknown) => {
    changeServer(connection)
    return new BusUnavailableError(`the bucket ${bucket} did not answer`, { cause })
  }
  return {
    async get(key) {
      try {
        const state = await peekKey(connection, bucket, key)
        return state && { value: state.value, revision: state.revision }
      } catch (error) {
        throw unavailable((error as Error).cause)
      }
    },
    async set(key, value, revision) {
      const bytes = new TextEncoder().encode(value)
      try {
        return await (revision === 0 ? view.create(key, bytes) : view.update(key, bytes, revision))
      } catch (cause) {
        if (isWrongSequence(cause))
          throw new RevisionConflictError(`${bucket}.${key} was written by another process`, { cause })
        throw unavailable(cause)
      }
    },
  }
}
