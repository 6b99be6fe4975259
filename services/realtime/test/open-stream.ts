// A client of `GET /v1/payments/stream` as small as the protocol allows.
import { setTimeout as sleep } from 'node:timers/promises'
import type { PaymentMessage } from '@payment-tracking/contracts'
import { waitFor, type TestContext } from '@payment-tracking/testkit'

export interface StreamEvent {
  event: string
  id: string
  data: PaymentMessage
}

export interface OpenStreamOptions {
  lastEventId?: string | undefined
  headers?: Record<string, string>
}

/** Asks once. A refusal has `response.ok` false, and its body is not read. */
export async function openStream(
  t: TestContext,
  url: string,
  query: Record<string, string>,
  { lastEventId, headers = {} }: OpenStreamOptions = {},
) {
  const controller = new AbortController()
  t.teardown(() => controller.abort())
  const response = await fetch(`${url}/v1/payments/stream?${new URLSearchParams(query)}`, {
    signal: controller.signal,
    headers: { ...headers, ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }) },
  })
  /** Events with data, in the order of their arrival. */
  const events: StreamEvent[] = []
  /** `seq` of the payments that came */
  const seqs = () => events.filter(({ event }) => event === 'payment').map(({ data }) => data.data.seq)
  const stream = {
    response,
    events,
    comments: 0,
    /** What an `EventSource` would send when it connects again. */
    lastEventId: lastEventId ?? '',
    ended: false,
    seqs,
    waitForSeq: (seq: number) => waitFor(() => seqs().includes(seq), { what: `payment ${seq}` }),
    /** Cuts the connection. */
    cut: () => controller.abort(),
  }
  if (response.ok) void read(response, stream)
  return stream
}

type OpenedStream = Awaited<ReturnType<typeof openStream>>

async function read(response: Response, stream: OpenedStream): Promise<void> {
  let text = ''
  try {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk
      const blocks = text.split('\n\n')
      text = blocks.pop()!
      for (const block of blocks) readBlock(block, stream)
    }
  } catch {
    // The connection was cut.
  }
  stream.ended = true
}

function readBlock(block: string, stream: OpenedStream): void {
  const fields: Record<string, string> = {}
  for (const line of block.split('\n')) {
    if (line.startsWith(':')) stream.comments++
    const colon = line.indexOf(': ')
    if (colon > 0) fields[line.slice(0, colon)] = line.slice(colon + 2)
  }
  if (fields.id !== undefined) stream.lastEventId = fields.id
  if (fields.data !== undefined)
    stream.events.push({ event: fields.event!, id: stream.lastEventId, data: JSON.parse(fields.data) })
}

/** A client that connects again with its last id, as `EventSource` does, until it is stopped. */
export function openSteadyStream(t: TestContext, url: string, trackingId: string) {
  const client = { seqs: [] as number[], connections: 0, isStopped: false, stop: () => {} }
  let stream: OpenedStream | undefined
  client.stop = () => {
    client.isStopped = true
    stream?.cut()
  }
  t.teardown(client.stop)
  const run = async () => {
    let lastEventId: string | undefined
    while (!client.isStopped) {
      stream = await openStream(t, url, { trackingId, since: '0' }, { lastEventId }).catch(() => undefined)
      if (!stream?.response.ok) {
        await sleep(100)
        continue
      }
      client.connections++
      const { events } = stream
      // Only what came whole counts: the id of a message is known with the message.
      await waitFor(
        () => {
          for (const { event, data, id } of events.splice(0)) {
            if (event === 'payment') client.seqs.push(data.data.seq)
            lastEventId = id
          }
          return stream!.ended
        },
        { what: 'the end of a stream', timeoutMs: 300_000 },
      )
    }
  }
  void run()
  return client
}
