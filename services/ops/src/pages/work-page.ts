// What was left to be done in pages, with its progress, and the rows that tasks leave out.
import {
  listTasks,
  listWebhookWork,
  type TaskProgress,
  type WebhookWorkProgress,
} from '@payment-tracking/store/admin'
import {
  listQuarantined,
  readArchiveProblem,
  takeBack,
  type ArchiveProblem,
  type QuarantinedRow,
} from '@payment-tracking/store/core'
import type { FastifyInstance } from 'fastify'
import { html, plain, type Html } from '../html/html.js'
import { moment } from '../html/moment.js'
import { csrfField, layout } from '../html/layout.js'
import { requireCsrf } from '../session/guard.js'
import { back, PAGE_SIZE, readNotice, table, type PageParts } from './page-parts.js'

export function addWorkPage(app: FastifyInstance, parts: PageParts): void {
  const { store, sessions, environment, log } = parts
  app.get('/work', async (request, reply) => {
    const [webhooks, tasks, archive, quarantined] = await Promise.all([
      listWebhookWork(store, PAGE_SIZE),
      listTasks(store, PAGE_SIZE),
      readArchiveProblem(store),
      listQuarantined(store, PAGE_SIZE),
    ])
    const csrf = sessions.sign(request.opsSession, 'csrf')
    const body = html`<h2>Deliveries of webhooks</h2>
      <p>
        Workers write the rows of endpoints that were turned off, redeliver a span, and send what was missed.
        The deliveries of an endpoint that is off read as cancelled from the beginning.
      </p>
      ${table(['work', 'since', 'webhook', 'endpoint', 'gateway', 'rows written', 'state'], webhooks.map(webhookRow))}
      <h2>Policies, user payments, hours and watermarks</h2>
      <p>Ingest folds or counts these again, page by page beside live messages.</p>
      ${table(['work', 'since', 'of', 'pages done'], tasks.map(taskRow))}
      <h2>What holds the archive</h2>
      <p>
        Ingest archives the oldest month first. All later months wait for it, and ingest tries again every
        hour.
      </p>
      ${table(['since', 'seen last', 'problem and cure'], archive === undefined ? [] : [archiveRow(archive)])}
      <h2>Rows quarantined</h2>
      <p>
        Each of these rows made its task fail. The task goes on without it. Mend the row, then give it back:
        the task quarantines it again if it still fails.
      </p>
      ${table(
        ['task', 'since', 'row', 'error', ''],
        quarantined.map(row => quarantinedRow(row, csrf)),
      )}`
    const notice = readNotice(parts, request)
    return reply.type('text/html').send(layout({ title: 'Work', environment, csrf, notice }, body))
  })

  app.post<{ Body: { task?: string; key?: string } }>(
    '/work/take-back',
    { preHandler: requireCsrf(sessions) },
    async (request, reply) => {
      const { task, key } = request.body
      const isTaken =
        typeof task === 'string' && typeof key === 'string' && (await takeBack(store, { task, key }))
      log.info({ task, key, isTaken }, 'quarantine.taken-back')
      const notice = isTaken ? 'The task gets the row again.' : 'There is no such row.'
      return reply.redirect(back(parts, request, '/work', notice), 303)
    },
  )
}

const WEBHOOK_WORK = {
  cancel: 'cancel deliveries',
  redeliver: 'redeliver a span',
  replay: 'replay what was missed',
}

const webhookRow = (work: WebhookWorkProgress): Html =>
  html`<tr>
    <td>${WEBHOOK_WORK[work.kind]}</td>
    <td>${moment(work.addedAt)}</td>
    <td>${work.webhookId}</td>
    <td class="text">${plain(work.endpointUrl)}</td>
    <td class="text">${work.gateway}</td>
    <td>${work.handled}</td>
    <td>${work.isFinishing ? 'all written; checks once more' : 'under way'}</td>
  </tr>`

const taskRow = ({ kind, address, pages, since }: TaskProgress): Html =>
  html`<tr>
    <td>${kind}</td>
    <td>${moment(since)}</td>
    <td class="text">${plain(address)}</td>
    <td>${pages}</td>
  </tr>`

const archiveRow = ({ problem, since, seenAt }: ArchiveProblem): Html =>
  html`<tr>
    <td>${moment(since)}</td>
    <td>${moment(seenAt)}</td>
    <td class="text">${plain(problem)}</td>
  </tr>`

const quarantinedRow = ({ task, key, error, since }: QuarantinedRow, csrf: string): Html =>
  html`<tr>
    <td>${task}</td>
    <td>${moment(since)}</td>
    <td class="text">${plain(key)}</td>
    <td class="text">${plain(error)}</td>
    <td>
      <form method="post" action="/work/take-back">
        ${csrfField(csrf)} <input type="hidden" name="task" value="${task}" />
        <input type="hidden" name="key" value="${key}" /><button>Give back</button>
      </form>
    </td>
  </tr>`
