// Publications with acknowledgements. The client's own `jetstream.publish` makes a request, a timer and an Error for each
// message, which took a tenth of the CPU of an indexer's backfill.
import { createInbox, headers, type Msg, type NatsConnection } from 'nats'
import { changeServer } from './change-server.js'

export interface OutgoingMessage {
  subject: string
  bytes: Uint8Array
  /**
   * A stream with one copy drops a second message with this id for some minutes. A cluster is sent no ids: on 2.9.10, a server that was
   * restarted stored repeated messages twice (3 of 4 runs). Its sequences then differed, and a consumer could skip payments.
   */
  id?: string
}

/** Without any acknowledgement for this long, the stream has no leader, or this server is cut off from it. */
const SILENCE_MS = 3_000
/** Source: the header `Nats-Msg-Id` of JetStream. */
const MESSAGE_ID = 'Nats-Msg-Id'

/** Source: the JetStream API, type `io.nats.jetstream.api.v1.pub_ack_response`. */
interface PublishAck {
  seq?: number
  error?: { code: number; description?: string }
}

export class StreamPublisher {
  readonly #inbox: string
  readonly #waiting = new Map<string, (ack: Msg) => void>()
  #next = 0

  /** @param inboxPrefix where answers come in; undefined for the usual place */
  constructor(
    private readonly connection: NatsConnection,
    inboxPrefix: string | undefined,
  ) {
    this.#inbox = createInbox(inboxPrefix)
    connection.subscribe(`${this.#inbox}.*`, {
      callback: (_, ack) => this.#waiting.get(ack.subject)?.(ack),
    })
  }

  /**
   * Sends the messages in their order and waits for all acknowledgements.
   *
   * A cluster gets no ids. Before 2.9.21, servers count dropped messages, and a restarted server counts them differently:
   * its followers then silently lack acknowledged messages (nats-server#4365). Until 2.11, a server can refuse an id whose
   * message was lost with a leader (nats-server#6486).
   * @returns the sequences, in the order of the messages
   * @throws Error when a message was not acknowledged in time, or refused
   */
  async publishAll(messages: readonly OutgoingMessage[]): Promise<number[]> {
    const sequences: number[] = []
    const replies: string[] = []
    let left = messages.length
    let deadline: NodeJS.Timeout | undefined
    const isCluster = this.connection.info?.cluster !== undefined
    try {
      await new Promise<void>((resolve, reject) => {
        if (left === 0) return resolve()
        deadline = setTimeout(
          () => reject(new Error(`${left} of ${messages.length} messages were not acknowledged in time`)),
          SILENCE_MS,
        )
        const headersOf = (id?: string) => (id === undefined || isCluster ? {} : { headers: withId(id) })
        for (const [at, { subject, bytes, id }] of messages.entries()) {
          const reply = `${this.#inbox}.${(this.#next += 1)}`
          replies.push(reply)
          this.#waiting.set(reply, ack => {
            const { seq, error } = readAck(ack)
            // A sequence of 0 belongs to a message that was never stored.
            if (!seq) return reject(new Error(error?.description ?? 'an unreadable acknowledgement'))
            if (sequences[at] !== undefined) return undefined
            sequences[at] = seq
            deadline?.refresh()
            left--
            return left === 0 ? resolve() : undefined
          })
          this.connection.publish(subject, bytes, { reply, ...headersOf(id) })
        }
        return undefined
      })
    } catch (error) {
      changeServer(this.connection)
      throw error
    } finally {
      clearTimeout(deadline)
      for (const reply of replies) this.#waiting.delete(reply)
    }
    return sequences
  }
}

function withId(id: string) {
  const head = headers()
  head.set(MESSAGE_ID, id)
  return head
}

function readAck(ack: Msg): PublishAck {
  const code = ack.headers?.code
  if (code)
    return { error: { code, description: code === 503 ? 'no stream takes the subject' : `status ${code}` } }
  try {
    return ack.json<PublishAck>()
  } catch {
    return {}
  }
}
