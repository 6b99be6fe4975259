// One delivery of any gateway: its request, and what the endpoint answered to each attempt.
import { findDelivery, getDelivery } from '@payment-tracking/store/admin'
import type { FastifyInstance } from 'fastify'
import { html, plain, type Html } from '../html/html.js'
import { moment } from '../html/moment.js'
import { csrfField, layout } from '../html/layout.js'
import { refuse } from '../refuse.js'
import { readIds, readNotice, type PageParts } from './page-parts.js'

type Detail = NonNullable<Awaited<ReturnType<typeof getDelivery>>>

export function addDeliveryPage(app: FastifyInstance, parts: PageParts): void {
  const { store, sessions, environment, consoleUrl } = parts
  app.get<{ Params: { id: string } }>('/failed-deliveries/:id', async (request, reply) => {
    const [id] = readIds(request.params.id)
    const delivery = id === undefined ? null : await findDelivery(store, id)
    const detail = delivery && (await getDelivery(store, BigInt(delivery.webhookId), BigInt(delivery.id)))
    if (!delivery || !detail) return refuse(reply, 404, 'NOT_FOUND', 'There is no such delivery.')
    const csrf = sessions.sign(request.opsSession, 'csrf')
    const again = html`<form method="post" action="/failed-deliveries/redeliver">
      ${csrfField(csrf)} <input type="hidden" name="id" value="${delivery.id}" />
      <button>Deliver again</button>
    </form>`
    const body = html`<dl>
        <dt>state</dt>
        <dd>${delivery.status}</dd>
        <dt>type</dt>
        <dd>${delivery.type}</dd>
        <dt>endpoint</dt>
        <dd>
          ${plain(delivery.endpointUrl)} ${delivery.active ? null : html`<span class="quiet">inactive</span>`}
        </dd>
        <dt>gateway</dt>
        <dd>${delivery.gateway}</dd>
        <dt>made</dt>
        <dd>${moment(delivery.createdAt)}</dd>
        <dt>webhook-id</dt>
        <dd>${delivery.messageId}</dd>
        <dt>transaction</dt>
        <dd>${delivery.signature ?? 'none'}</dd>
      </dl>
      ${
        consoleUrl &&
        html`<p>
          <a href="${consoleUrl}/endpoints/${delivery.webhookId}/deliveries/${delivery.id}"
            >As its gateway sees it, in the console</a
          >
        </p>`
      }
      ${delivery.active && delivery.status === 'failed' ? again : null}
      <h2>Attempts</h2>
      ${detail.attemptLog.map(attemptOf)}
      <h2>Request</h2>
      <pre>${plain(detail.body)}</pre>`
    const notice = readNotice(parts, request)
    const title = `Delivery ${delivery.id}`
    return reply.type('text/html').send(layout({ title, environment, csrf, notice }, body))
  })
}

const attemptOf = (attempt: Detail['attemptLog'][number]): Html =>
  html`<p>
      <b>${attempt.number}. ${attempt.statusCode ?? attempt.error ?? 'on its way'}</b>
      ${moment(attempt.startedAt)}
      ${
        attempt.finishedAt &&
        html`<span class="quiet">took ${attempt.finishedAt.getTime() - attempt.startedAt.getTime()} ms</span>`
      }
    </p>
    ${attempt.responseBody ? html`<pre>${plain(attempt.responseBody)}</pre>` : null}`
