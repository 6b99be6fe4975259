import type { IncomingMessage } from 'node:http'
import type { SubscribeRequest } from '@payment-tracking/contracts'
import { isPublicKey } from '@payment-tracking/domain'
import type { Refusal } from '@payment-tracking/runtime'
import { readSubscribe } from '../subscriptions/read-request.js'

const invalid = (problem: string): Refusal => ({
  status: 400,
  code: 'INVALID_PARAMETER',
  sentence: `Query parameter ${problem}.`,
})

const PARAMETERS = ['trackingId', 'recipient', 'since', 'lastEventId']

/**
 * What a client asks for. `Last-Event-ID` says more than `since`, which a page gives for its first connection: it is the
 * id of the last event, and an id that is none of ours is one of another database. Polyfills of `EventSource`, which can
 * send no header, put the id into the parameter `lastEventId`.
 */
export function readStreamRequest({ url = '', headers }: IncomingMessage): SubscribeRequest | Refusal {
  const query = new URLSearchParams(url.split('?')[1] ?? '')
  for (const name of query.keys()) {
    if (!PARAMETERS.includes(name))
      return invalid(`${name} is unknown; this path takes ${PARAMETERS.join(', ')}`)
    if (query.getAll(name).length > 1) return invalid(`${name} may be given once`)
  }
  const recipient = query.get('recipient')
  if (recipient !== null && !isPublicKey(recipient))
    return invalid('recipient must be a public key in base58')
  const since = query.get('since')
  if (since !== null && !SEQ.test(since)) return invalid('since must be the `seq` of a payment, or 0')
  const read = readSubscribe({ trackingId: query.get('trackingId') ?? undefined })
  if ('refusal' in read) return invalid(read.refusal.message)
  const lastEventId = headers['last-event-id']?.toString() || (query.get('lastEventId') ?? '')
  return {
    ...read.request,
    ...(recipient === null ? {} : { recipient }),
    ...(lastEventId !== '' ? readEventId(lastEventId) : since === null ? {} : { since: Number(since) }),
  }
}

const SEQ = /^\d{1,15}$/

function readEventId(id: string): { since: number; epoch?: string } {
  if (SEQ.test(id)) return { since: Number(id) }
  const dot = id.lastIndexOf('.')
  const seq = id.slice(dot + 1)
  return SEQ.test(seq) ? { since: Number(seq), epoch: id.slice(0, dot) } : { since: 0, epoch: id }
}
