// The indexer's part: publishes each message until the stream has acknowledged it, and keeps the journal.
import { setTimeout as sleep } from 'node:timers/promises'
import { natsOptions } from '@payment-tracking/testkit'
import { connect, DiscardPolicy, type JetStreamManager, type NatsConnection } from 'nats'
import {
  controlSubjectOf,
  DEFAULT_STREAM,
  DEFAULT_SUBJECT_PREFIX,
  subjectOf,
} from '@payment-tracking/contracts'
import type { PlannedMessage } from '../plan/messages.js'

export interface Published {
  message: PlannedMessage
  /** The sequence that was acknowledged; an earlier try may be stored as well, unacknowledged. */
  sequence: number
}

export interface StreamEntry {
  sequence: number
  bytes: string
}

const ACK_TIMEOUT_MS = 1_500
const CONSUMER = 'ingest'
const UNLIMITED = -1
/** For what was sent before, had no answer and comes late. */
const ROOM = 5

const nameOf = (bytes: string): unknown => {
  try {
    return (JSON.parse(bytes) as { event_name?: unknown }).event_name
  } catch {
    return undefined
  }
}

export async function openPublisher(natsUrl: string) {
  const connection: NatsConnection = await connect({
    ...natsOptions(natsUrl),
    // A loaded machine is slow to let a client in; nothing is broken yet.
    waitOnFirstConnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 100,
    reconnectJitter: 100,
  })
  const jetstream = connection.jetstream({ timeout: ACK_TIMEOUT_MS })
  const journal: Published[] = []
  const pending = new Set<Promise<void>>()
  let asked = 0

  // Tries under way, and what new ones wait for: a limit may only be set while nothing comes, for a stream that
  // has more than its limit throws the oldest away, whatever it is told to discard.
  let gate: Promise<void> = Promise.resolve()
  const tries = new Set<Promise<unknown>>()

  const publishOnce = async (message: PlannedMessage): Promise<void> => {
    const subject = message.control
      ? controlSubjectOf(DEFAULT_SUBJECT_PREFIX, message.control.kind)
      : subjectOf(DEFAULT_SUBJECT_PREFIX, nameOf(message.bytes))
    const { seq } = await jetstream.publish(subject, Buffer.from(message.bytes, 'utf8'))
    journal.push({ message, sequence: seq })
  }
  const untilAcked = async (message: PlannedMessage): Promise<void> => {
    for (;;) {
      await gate
      try {
        const trying = publishOnce(message)
        tries.add(trying)
        return await trying.finally(() => tries.delete(trying))
      } catch {
        await sleep(150)
      }
    }
  }
  const persist = async <T>(work: (manager: JetStreamManager) => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await work(await connection.jetstreamManager({ timeout: ACK_TIMEOUT_MS }))
      } catch {
        await sleep(150)
      }
    }
  }
  const closeGate = async (): Promise<() => void> => {
    let open = () => {}
    gate = new Promise<void>(resolve => (open = resolve))
    await Promise.allSettled(tries)
    return open
  }
  const setLimit = (manager: JetStreamManager, limit: number, discard: DiscardPolicy) =>
    manager.streams.update(DEFAULT_STREAM, { max_msgs: limit, discard })
  const lag = () =>
    persist(async manager => {
      const info = await manager.consumers.info(DEFAULT_STREAM, CONSUMER)
      return info.num_pending + info.num_ack_pending
    })
  const readPresent = () =>
    persist(async manager => {
      const { state } = await manager.streams.info(DEFAULT_STREAM)
      const entries: StreamEntry[] = []
      if (state.messages === 0) return entries
      const consumer = await connection.jetstream().consumers.get(DEFAULT_STREAM)
      for await (const message of await consumer.consume({ max_messages: 500 })) {
        entries.push({ sequence: message.seq, bytes: message.string() })
        if (message.seq === state.last_seq) break
      }
      await consumer.delete()
      return entries
    })
  return {
    journal,
    /** How many were asked for; all are in the journal once `drain` has resolved. */
    get asked() {
      return asked
    },
    publish(message: PlannedMessage): Promise<void> {
      asked += 1
      const work = untilAcked(message).finally(() => pending.delete(work))
      pending.add(work)
      return work
    },
    drain: async () => {
      await Promise.all(pending)
    },
    /** Makes the stream refuse messages for a while. */
    async fill(forMs: number) {
      const open = await closeGate()
      await persist(async manager => {
        // What timed out may still be on its way; without a connection the flush fails, and is done again.
        await connection.flush()
        const { state } = await manager.streams.info(DEFAULT_STREAM)
        await setLimit(manager, state.messages + ROOM, DiscardPolicy.New)
      }).finally(open)
      await sleep(forMs)
      await persist(manager => setLimit(manager, UNLIMITED, DiscardPolicy.Old))
    },
    /** Deletes the consumer that ingest reads by. */
    deleteConsumer: () =>
      persist(async manager => {
        await manager.consumers.delete(DEFAULT_STREAM, CONSUMER).catch((error: unknown) => {
          // A try whose answer was lost has deleted it, and ingest may have made it anew.
          if ((error as { api_error?: { code: number } }).api_error?.code !== 404) throw error
        })
      }),
    /** Messages that ingest has not acknowledged. */
    lag,
    /** Everything in the stream, in order. */
    readAll: readPresent,
    close: () => connection.close(),
  }
}

export type Publisher = Awaited<ReturnType<typeof openPublisher>>
