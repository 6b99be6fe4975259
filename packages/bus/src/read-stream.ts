import { DeliverPolicy, type NatsConnection } from 'nats'

export interface StreamMessage {
  subject: string
  bytes: Uint8Array
  sequence: number
}

/** @see Bus.readStream */
export async function readStream(
  connection: NatsConnection,
  stream: string,
  fromSequence: number,
  onMessage: (message: StreamMessage) => void,
): Promise<void> {
  const manager = await connection.jetstreamManager()
  const { state } = await manager.streams.info(stream)
  const first = Math.max(fromSequence, state.first_seq, 1)
  if (state.messages === 0 || first > state.last_seq) return
  const consumer = await connection.jetstream().consumers.get(stream, {
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: first,
  })
  const messages = await consumer.consume({ max_messages: 500 })
  for await (const message of messages) {
    onMessage({ subject: message.subject, bytes: message.data, sequence: message.seq })
    if (message.seq >= state.last_seq || message.info.pending === 0) break
  }
  await messages.close()
}
