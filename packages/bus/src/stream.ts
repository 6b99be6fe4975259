import { RetentionPolicy, StorageType, type JetStreamManager } from 'nats'

export interface StreamConfig {
  STREAM_NAME: string
  SUBJECT_PREFIX: string
}

/** How long a stream that we create keeps messages: long enough to replay after a bad week. */
const MAX_AGE_DAYS = 30
const NANOS_PER_DAY = 86_400 * 1e9

const NOT_FOUND = 10059

export interface StreamState {
  name: string
  createdAt: Date
}

/**
 * Makes the stream when it is missing; never alters one that exists.
 * @returns its identity: a stream deleted and made again counts its sequences anew
 */
export async function ensureStream(manager: JetStreamManager, config: StreamConfig): Promise<StreamState> {
  const { STREAM_NAME: name, SUBJECT_PREFIX: prefix } = config
  try {
    const info = await manager.streams.info(name)
    return { name, createdAt: new Date(info.created) }
  } catch (error) {
    if ((error as { api_error?: { err_code?: number } }).api_error?.err_code !== NOT_FOUND) throw error
  }
  const info = await manager.streams.add({
    name,
    subjects: [`${prefix}.>`],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    max_age: MAX_AGE_DAYS * NANOS_PER_DAY,
    description: 'Events of the payments program, as the indexer decoded them',
  })
  return { name, createdAt: new Date(info.created) }
}
