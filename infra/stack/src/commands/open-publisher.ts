import { openBus } from '@payment-tracking/bus'
import { DEFAULT_STREAM, DEFAULT_SUBJECT_PREFIX, subjectOf } from '@payment-tracking/contracts'
import { createLogger } from '@payment-tracking/runtime'

/** So many messages may be on their way without an acknowledgement. */
const WINDOW = 256

export interface Publisher {
  /** Publishes the bytes of one message as they are; resolves when the stream has acknowledged it. */
  publish(line: string | Uint8Array): Promise<number>
  /** Publishes in this order, a window at a time. @returns how many were acknowledged */
  publishAll(lines: AsyncIterable<Uint8Array>): Promise<number>
  close(): Promise<void>
}

/** The name of the event, if this is a message that has one. */
function eventNameOf(line: Uint8Array): unknown {
  try {
    return (JSON.parse(Buffer.from(line).toString('utf8')) as { event_name?: unknown } | null)?.event_name
  } catch {
    return undefined
  }
}

/** @param settings NATS_URL, and STREAM_NAME and SUBJECT_PREFIX when they are not the usual ones */
export async function openPublisher(
  settings: Readonly<Record<string, string | undefined>>,
): Promise<Publisher> {
  const log = createLogger('publisher', { LOG_LEVEL: 'error', ENVIRONMENT: 'production' })
  const prefix = settings.SUBJECT_PREFIX?.trim() || DEFAULT_SUBJECT_PREFIX
  const bus = await openBus({ NATS_URL: settings.NATS_URL! }, 'publisher', log)
  await bus.ensureStream({
    STREAM_NAME: settings.STREAM_NAME?.trim() || DEFAULT_STREAM,
    SUBJECT_PREFIX: prefix,
  })
  const publish = (line: string | Uint8Array) => {
    const bytes = typeof line === 'string' ? Buffer.from(line, 'utf8') : line
    return bus.publish(subjectOf(prefix, eventNameOf(bytes)), bytes)
  }
  return {
    publish,
    async publishAll(lines) {
      let published = 0
      let pending: Promise<number>[] = []
      const settle = async () => {
        published += (await Promise.all(pending)).length
        pending = []
      }
      for await (const line of lines) {
        pending.push(publish(line))
        if (pending.length >= WINDOW) await settle()
      }
      await settle()
      return published
    },
    close: () => bus.close(),
  }
}
