// Endpoints that fail, whoever's they are: an operator who sees many knows that the fault is ours.
import { listFailingWebhooks, type FailingWebhook } from '@payment-tracking/store/admin'
import type { FastifyInstance } from 'fastify'
import { html, plain, type Html } from '../html/html.js'
import { shortKey } from '../html/short-key.js'
import { sayAge, secondsSince } from '../html/say-age.js'
import { sendLive, table, type PageParts } from './page-parts.js'

/** So many deliveries are counted. */
const MOST_COUNTED = 1_000

export function addFailingEndpoints(app: FastifyInstance, parts: PageParts): void {
  app.get('/failing-endpoints', async (request, reply) => {
    const webhooks = await listFailingWebhooks(parts.store)
    const body = html`<p>
        Endpoints that accepted fewer than half of their newest requests. Their gateways see the same on their
        own pages. Where most fail at once, the fault is on our way out.
      </p>
      ${table(
        ['gateway', 'host', 'accepted last', 'of 24 hours', 'waiting', 'last answer'],
        webhooks.map(row),
      )}`
    return sendLive(parts, request, reply, { title: 'Endpoints that fail', body })
  })
}

const ago = (at: Date): string => `${sayAge(secondsSince(at))} ago`

function row({
  gateway,
  endpointUrl,
  lastAcceptedAt,
  since,
  requests,
  accepted,
  waiting,
  lastAnswer,
}: FailingWebhook): Html {
  const failures = new URLSearchParams({ gateway, endpoint: new URL(endpointUrl).host })
  return html`<tr>
    <td><a href="/failed-deliveries?${failures.toString()}">${shortKey(gateway)}</a></td>
    <td class="text">${plain(new URL(endpointUrl).host)}</td>
    <td>${lastAcceptedAt ? ago(lastAcceptedAt) : `never, added ${ago(since)}`}</td>
    <td>${accepted} of ${requests}</td>
    <td>${waiting}${waiting === MOST_COUNTED ? ' or more' : ''}</td>
    <td class="text">${lastAnswer ? `${plain(lastAnswer.answer)}, ${ago(lastAnswer.at)}` : 'none'}</td>
  </tr>`
}
