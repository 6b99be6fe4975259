// A shop that was notified of a payment and reads it: it asks for the payment from the payment's own position.
import { setTimeout as sleep } from 'node:timers/promises'
import type { SocketPayment } from '@payment-tracking/contracts'
import type { SentPayment } from '../../history/entries.js'
import type { Recorder } from '../../history/recorder.js'
import { fetchText } from './fetch-text.js'

export interface NotifiedReader {
  /** Somebody was notified of a payment, by a database that this epoch names. */
  notify(payment: SocketPayment, epoch: string | undefined): void
  stop(): Promise<void>
}

const EVERY_MS = 150

interface StoredPayment {
  id: string
  seq: number
  trackingId: string
}

export function openNotifiedReader(baseUrl: string, recorder: Recorder): NotifiedReader {
  let newest: { payment: SocketPayment; epoch: string } | undefined
  let stopping = false

  const read = async ({ trackingId, signature, position }: SocketPayment, epoch: string): Promise<void> => {
    const of = { who: 'shop', via: 'rest', op: recorder.next() } as const
    recorder.note({ ...of, what: 'ask', trackingId, signature, minPosition: position, epoch })
    const query = new URLSearchParams({ trackingId, signature, retracted: 'true' })
    const { response, text } = await fetchText(`${baseUrl}/v1/events?${query}`, {
      'x-min-position': String(position),
    })
    const events = response.ok ? (JSON.parse(text) as StoredPayment[]) : []
    const payments = events.map(({ id, seq }): SentPayment => ({ seq, eventId: id }))
    recorder.note({
      ...of,
      what: 'answer' as const,
      status: response.status,
      ...headOf(response),
      ...(response.ok && { count: payments.length, payments }),
    })
  }
  const running = (async () => {
    while (!stopping) {
      const listed = newest
      newest = undefined
      // Cut off: the process was killed.
      if (listed) await read(listed.payment, listed.epoch).catch(() => {})
      await sleep(EVERY_MS)
    }
  })()
  return {
    notify(payment, epoch) {
      if (epoch !== undefined) newest = { payment, epoch }
    },
    async stop() {
      stopping = true
      await running
    },
  }
}

/** What an answer says of the database that it was read from. */
export function headOf({ headers }: Response): { position?: number; epoch?: string } {
  const [position, epoch] = [headers.get('x-position'), headers.get('x-epoch')]
  return position === null || epoch === null ? {} : { position: Number(position), epoch }
}
