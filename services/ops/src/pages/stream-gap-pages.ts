// Messages that the stream discarded before ingest had read them. The dashboard cannot replay these messages: the
// indexer must publish them again. Then an operator closes the gap.
import { closeStreamGap, listStreamGaps, type StreamGap } from '@payment-tracking/store/core'
import type { FastifyInstance } from 'fastify'
import { html, type Html } from '../html/html.js'
import { moment } from '../html/moment.js'
import { csrfField, layout } from '../html/layout.js'
import { requireCsrf } from '../session/guard.js'
import { back, PAGE_SIZE, readIds, readNotice, table, type PageParts } from './page-parts.js'

export function addStreamGapPages(app: FastifyInstance, parts: PageParts): void {
  const { store, sessions, environment, log } = parts
  app.get('/stream-gaps', async (request, reply) => {
    const gaps = await listStreamGaps(store, PAGE_SIZE)
    const csrf = sessions.sign(request.opsSession, 'csrf')
    const body = html`<p>
        The stream discarded these messages before they were read. Let the indexer publish them again, then
        close the gap.
      </p>
      ${table(
        ['noticed', 'stream', 'sequences', 'closed'],
        gaps.map(gap => row(gap, csrf)),
      )}`
    const notice = readNotice(parts, request)
    return reply.type('text/html').send(layout({ title: 'Stream gaps', environment, csrf, notice }, body))
  })

  app.post<{ Body: { id?: string } }>(
    '/stream-gaps/close',
    { preHandler: requireCsrf(sessions) },
    async (request, reply) => {
      const [id] = readIds(request.body.id)
      if (id !== undefined) await closeStreamGap(store, id)
      log.info({ id: id?.toString() }, 'stream-gap.closed')
      return reply.redirect(
        back(parts, request, '/stream-gaps', id === undefined ? 'No gap was named.' : 'The gap is closed.'),
        303,
      )
    },
  )
}

const row = ({ id, stream, fromSequence, toSequence, noticedAt, closedAt }: StreamGap, csrf: string): Html =>
  html`<tr>
    <td>${moment(noticedAt)}</td>
    <td>${stream}</td>
    <td>${fromSequence} to ${toSequence}</td>
    <td>
      ${
        (closedAt && moment(closedAt)) ??
        html`<form method="post" action="/stream-gaps/close">
          ${csrfField(csrf)} <input type="hidden" name="id" value="${id}" /><button>Close</button>
        </form>`
      }
    </td>
  </tr>`
