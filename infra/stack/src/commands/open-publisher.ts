import { openBus } from '@payment-tracking/bus'
import {
  controlSubjectOf,
  DEFAULT_STREAM,
  DEFAULT_SUBJECT_PREFIX,
  subjectOf,
} from '@payment-tracking/contracts'
import { readJson, writeJson, type Json } from '@payment-tracking/domain'
import { createLogger } from '@payment-tracking/runtime'

/** The most messages without acknowledgement. */
const WINDOW = 256

export interface Publisher {
  /**
   * Publishes the bytes of one message as they are, or the message of a line `{"subject", "message"}`; resolves when
   * the stream has acknowledged it.
   */
  publish(line: string | Uint8Array): Promise<number>
  /** Publishes in this order, a window at a time. @returns how many were acknowledged */
  publishAll(lines: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<number>
  close(): Promise<void>
}

export interface Addressed {
  subject: string
  bytes: Uint8Array
}

/** A valid subject for publishing, token by token: no wildcards, spaces or empty tokens. */
const TOKENS = /^[^\s.*>]+(\.[^\s.*>]+)*$/

/** The members that a line may have beside the event itself. */
interface LineMembers {
  event_name?: Json
  subject?: Json
  message?: Json
}

/**
 * The subject and message of a line. A line `{"subject": …, "message": …}` is a message for that subject, such as a
 * control message. Every other line is published unchanged, under the name of its event.
 * @param prefix the first part of every subject of the stream
 * @returns why the line cannot be published, as text
 */
export function addressOf(line: Uint8Array, prefix: string): Addressed | string {
  let members: LineMembers | null
  try {
    members = readJson(Buffer.from(line).toString('utf8')) as LineMembers | null
  } catch {
    members = null
  }
  if (members?.subject !== undefined && members.message !== undefined) {
    const { subject, message } = members
    if (typeof subject !== 'string' || !subject.startsWith(`${prefix}.`) || !TOKENS.test(subject))
      return `"subject" must be below ${prefix}, such as ${controlSubjectOf(prefix, 'finalized')}`
    return { subject, bytes: Buffer.from(writeJson(message)) }
  }
  return { subject: subjectOf(prefix, members?.event_name), bytes: line }
}

/** @param settings NATS_URL, and STREAM_NAME and SUBJECT_PREFIX unless they have their defaults */
export async function openPublisher(
  settings: Readonly<Record<string, string | undefined>>,
): Promise<Publisher> {
  const log = createLogger('publisher', { LOG_LEVEL: 'error', ENVIRONMENT: 'production' })
  const prefix = settings.SUBJECT_PREFIX?.trim() || DEFAULT_SUBJECT_PREFIX
  const bus = await openBus({ NATS_URL: settings.NATS_URL! }, 'publisher', log)
  await bus.ensureStream({
    streamName: settings.STREAM_NAME?.trim() || DEFAULT_STREAM,
    subjectPrefix: prefix,
  })
  const publish = (line: string | Uint8Array) => {
    const bytes = typeof line === 'string' ? Buffer.from(line, 'utf8') : line
    const addressed = addressOf(bytes, prefix)
    if (typeof addressed === 'string') throw new Error(addressed)
    return bus.publish(addressed.subject, addressed.bytes)
  }
  return {
    publish,
    async publishAll(lines) {
      let published = 0
      let pending: Promise<number>[] = []
      const drain = async () => {
        published += (await Promise.all(pending)).length
        pending = []
      }
      for await (const line of lines) {
        pending.push(publish(line))
        if (pending.length >= WINDOW) await drain()
      }
      await drain()
      return published
    },
    close: () => bus.close(),
  }
}
