// Messages that ingest refused. Their bytes are hostile: the pages show the bytes as escaped text and offer them for
// download, never as markup, a link or a script.
import {
  findDeadLetterIds,
  listDeadLetters,
  listGaps,
  readDeadLetters,
  type DeadLetterRow,
  type GapRow,
} from '@payment-tracking/store/admin'
import type { FastifyInstance } from 'fastify'
import { replayDeadLetters } from '../replay/replay-dead-letters.js'
import { refuse } from '../refuse.js'
import { requireCsrf } from '../session/guard.js'
import { html, plain, type Html } from '../html/html.js'
import { moment } from '../html/moment.js'
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

/** Gaps of the indexer stand beside the dead letters: both may be missing payments. */
const gapTable = (gaps: readonly GapRow[]): Html | null =>
  gaps.length === 0
    ? null
    : html`<h2>Gaps of the chain</h2>
        <div class="scroll">
          <table>
            <tr>
              <th>received</th>
              <th>slots</th>
              <th>signature</th>
              <th>reason</th>
              <th>closed</th>
            </tr>
            ${gaps.map(
              gap =>
                html`<tr>
                  <td>${moment(gap.receivedAt)}</td>
                  <td>${gap.fromSlot} to ${gap.toSlot}</td>
                  <td>${plain(gap.signature ?? '')}</td>
                  <td>${plain(gap.reason)}</td>
                  <td>${(gap.closedAt && moment(gap.closedAt)) ?? 'open'}</td>
                </tr>`,
            )}
          </table>
        </div>
        <h2>Dead letters</h2>`

interface ListQuery {
  code?: string
  all?: string
  before?: string
}

export function addDeadLetterPages(app: FastifyInstance, parts: PageParts): void {
  const { store, sessions, environment } = parts
  const preHandler = requireCsrf(sessions)

  app.get<{ Querystring: ListQuery }>('/dead-letters', async (request, reply) => {
    const { all, before } = request.query
    const notice = readNotice(parts, request)
    const code = readCode(request.query.code)
    const letters = await listDeadLetters(store, {
      code,
      openOnly: all === undefined,
      before: readBefore(before),
      limit: PAGE_SIZE,
    })
    const csrf = sessions.sign(request.opsSession, 'csrf')
    const last = letters.length === PAGE_SIZE ? letters.at(-1)!.id : null
    const gaps = await listGaps(store, { openOnly: all === undefined, limit: PAGE_SIZE })
    const body = html`${gapTable(gaps)}
      <p>
        Messages that were refused as they came from the stream: nothing of them is stored, and nothing else
        was held up by them. Find the reason and mend the publisher; a replay helps only if the reason is
        gone. The messages of
        <code>test/fixtures</code> hold some that are refused on purpose.
      </p>
      <form method="get" action="/dead-letters" class="filters">
        <label>Code <input name="code" value="${code ?? ''}" /></label>
        <label
          ><input type="checkbox" name="all" ${all === undefined ? null : html`checked`} /> replayed ones
          too</label
        >
        <button>Show</button>
      </form>
      <form method="post" action="/dead-letters/replay">
        ${csrfField(csrf)} ${table(['', 'received', 'code', 'reason', 'subject', 'bytes'], letters.map(row))}
        <p><button>Replay the ticked ones</button></p>
      </form>
      <form method="post" action="/dead-letters/replay-all">
        ${csrfField(csrf)} <input type="hidden" name="code" value="${code ?? ''}" />
        <button>Replay all open ones${code ? html` of code ${code}` : null} (up to ${BULK_LIMIT})</button>
      </form>
      ${
        last === null
          ? null
          : html`<p>
              <a
                href="/dead-letters?before=${last}&amp;code=${code ?? ''}${all === undefined ? null : html`&amp;all=on`}"
                >older</a
              >
            </p>`
      }`
    return reply.type('text/html').send(layout({ title: 'Dead letters', environment, csrf, notice }, body))
  })

  app.get<{ Params: { id: string } }>('/dead-letters/:id', async (request, reply) => {
    const [letter] = await readDeadLetters(store, readIds(request.params.id))
    const csrf = sessions.sign(request.opsSession, 'csrf')
    if (!letter)
      return reply
        .code(404)
        .type('text/html')
        .send(layout({ title: 'No such dead letter', environment, csrf }, html``))
    const text = Buffer.from(letter.bytes).toString('utf8')
    const body = html`<p>${letter.code}: ${plain(letter.reason)}</p>
      <p class="quiet">
        ${plain(letter.subject)} · stream ${letter.stream}, sequence ${letter.streamSequence} · ${letter.kept}
        of ${letter.size} bytes · ${moment(letter.receivedAt)}
      </p>
      <pre>${plain(text)}</pre>
      <p><a href="/dead-letters/${letter.id}/bytes" download>Download the bytes</a></p>
      <form method="post" action="/dead-letters/replay">
        ${csrfField(csrf)}<input type="hidden" name="id" value="${letter.id}" /><button>Replay</button>
      </form>`
    return reply
      .type('text/html')
      .send(layout({ title: `Dead letter ${letter.id}`, environment, csrf }, body))
  })

  app.get<{ Params: { id: string } }>('/dead-letters/:id/bytes', async (request, reply) => {
    const [letter] = await readDeadLetters(store, readIds(request.params.id))
    if (!letter) return refuse(reply, 404, 'NOT_FOUND', 'There is no such dead letter.')
    return reply
      .header('content-disposition', `attachment; filename="dead-letter-${letter.id}.bin"`)
      .header('content-security-policy', "default-src 'none'; sandbox")
      .type('application/octet-stream')
      .send(Buffer.from(letter.bytes))
  })

  const replay = async (ids: bigint[]): Promise<string> => {
    const { replayed, refused } = await replayDeadLetters(parts, ids)
    parts.log.info({ replayed: replayed.length, refused: refused.length }, 'dead-letters.replayed')
    const why = refused.slice(0, 3).map(({ id, why }) => ` Not ${id}: ${why}.`)
    return `Replayed ${replayed.length} of ${ids.length}.${why.join('')}`
  }
  app.post<{ Body: { id?: string | string[] } }>(
    '/dead-letters/replay',
    { preHandler },
    async (request, reply) =>
      reply.redirect(back(parts, request, '/dead-letters', await replay(readIds(request.body.id))), 303),
  )
  app.post<{ Body: { code?: string } }>(
    '/dead-letters/replay-all',
    { preHandler },
    async (request, reply) => {
      const ids = await findDeadLetterIds(store, {
        code: readCode(request.body.code),
        openOnly: true,
        limit: BULK_LIMIT,
      })
      return reply.redirect(back(parts, request, '/dead-letters', await replay(ids)), 303)
    },
  )
}

/** Accepts only error codes of ingest; any other value selects all dead letters. */
const readCode = (sent: string | undefined): string | undefined =>
  sent !== undefined && /^[A-Z_]{1,64}$/.test(sent) ? sent : undefined

const row = (letter: DeadLetterRow): Html =>
  html`<tr>
    <td>
      <input type="checkbox" name="id" value="${letter.id}" aria-label="${`dead letter ${letter.id}`}" />
    </td>
    <td><a href="/dead-letters/${letter.id}">${moment(letter.receivedAt)}</a></td>
    <td>${letter.code}</td>
    <td class="text">${plain(letter.reason)}</td>
    <td class="text">${plain(letter.subject)}</td>
    <td>${letter.size}${letter.replayedAt ? html` <span class="quiet">replayed</span>` : null}</td>
  </tr>`
