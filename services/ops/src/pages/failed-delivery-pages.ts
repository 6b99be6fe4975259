import {
  findRedeliverable,
  listFailedDeliveries,
  type FailedDelivery,
  type FailedDeliveryFilter,
} from '@payment-tracking/store/admin'
import type { FastifyInstance } from 'fastify'
import { redeliverFailed } from '../replay/redeliver-failed.js'
import { requireCsrf } from '../session/guard.js'
import { html, plain, type Html } from '../html/html.js'
import { moment } from '../html/moment.js'
import { shortKey } from '../html/short-key.js'
import { csrfField, layout } from '../html/layout.js'
import {
  back,
  BULK_LIMIT,
  PAGE_SIZE,
  readBefore,
  readIds,
  readNotice,
  table,
  type PageParts,
} from './page-parts.js'

interface ListQuery extends FailedDeliveryFilter {
  before?: string
}

const FILTERS = ['gateway', 'endpoint', 'error'] as const

/** The filters of a query; empty and repeated ones count as not given. */
const readFilters = (query: Readonly<Record<string, unknown>>): FailedDeliveryFilter =>
  Object.fromEntries(
    FILTERS.flatMap(name => {
      const text = query[name]
      return typeof text === 'string' && text !== '' ? [[name, text]] : []
    }),
  )

const filterForm = (filters: FailedDeliveryFilter): Html =>
  html`<form method="get" action="/failed-deliveries" class="filters">
    ${FILTERS.map(
      name => html`<label>${name} <input name="${name}" value="${filters[name] ?? ''}" /></label>`,
    )}
    <button>Show</button>
  </form>`

export function addFailedDeliveryPages(app: FastifyInstance, parts: PageParts): void {
  const { store, sessions, environment } = parts
  const preHandler = requireCsrf(sessions)

  app.get<{ Querystring: ListQuery }>('/failed-deliveries', async (request, reply) => {
    const { before } = request.query
    const filters = readFilters({ ...request.query })
    const notice = readNotice(parts, request)
    const { items: deliveries, next } = await listFailedDeliveries(store, {
      ...filters,
      before: readBefore(before),
      limit: PAGE_SIZE,
    })
    const csrf = sessions.sign(request.opsSession, 'csrf')
    const older = new URLSearchParams({ before: String(next) })
    for (const name of FILTERS) if (filters[name] !== undefined) older.set(name, filters[name])
    const body = html`${filterForm(filters)}
      <form method="post" action="/failed-deliveries/redeliver">
        ${csrfField(csrf)}
        ${table(['', 'failed', 'delivery', 'endpoint', 'gateway', 'attempts', 'last error'], deliveries.map(row))}
        <p><button>Deliver the ticked ones again</button></p>
      </form>
      <form method="post" action="/failed-deliveries/redeliver-all">
        ${csrfField(csrf)}<button>Deliver all of active webhooks again (up to ${BULK_LIMIT})</button>
      </form>
      ${next === null ? null : html`<p><a href="/failed-deliveries?${older.toString()}">older</a></p>`}`
    return reply
      .type('text/html')
      .send(layout({ title: 'Failed deliveries', environment, csrf, notice }, body))
  })

  const redeliver = async (ids: bigint[]): Promise<string> => {
    const count = await redeliverFailed(parts, ids)
    parts.log.info({ asked: ids.length, redelivered: count }, 'deliveries.redelivered')
    return `${count} of ${ids.length} are due now.`
  }
  app.post<{ Body: { id?: string | string[] } }>(
    '/failed-deliveries/redeliver',
    { preHandler },
    async (request, reply) =>
      reply.redirect(
        back(parts, request, '/failed-deliveries', await redeliver(readIds(request.body.id))),
        303,
      ),
  )
  app.post('/failed-deliveries/redeliver-all', { preHandler }, async (request, reply) =>
    reply.redirect(
      back(parts, request, '/failed-deliveries', await redeliver(await findRedeliverable(store, BULK_LIMIT))),
      303,
    ),
  )
}

const row = (delivery: FailedDelivery): Html =>
  html`<tr>
    <td>
      ${
        delivery.active
          ? html`<input
              type="checkbox"
              name="id"
              value="${delivery.id}"
              aria-label="${`delivery ${delivery.id}`}"
            />`
          : null
      }
    </td>
    <td>${(delivery.finishedAt && moment(delivery.finishedAt)) ?? ''}</td>
    <td>
      <a href="/failed-deliveries/${delivery.id}">${delivery.id}</a>
      <span class="quiet">${delivery.type}</span>
    </td>
    <td class="text">
      ${plain(delivery.endpointUrl)} ${delivery.active ? null : html`<span class="quiet">inactive</span>`}
    </td>
    <td>
      <a href="/failed-deliveries?${new URLSearchParams({ gateway: delivery.gateway }).toString()}"
        >${shortKey(delivery.gateway)}</a
      >
    </td>
    <td>${delivery.attempts}</td>
    <td>${delivery.lastError}</td>
  </tr>`
