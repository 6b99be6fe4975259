import type { Bus } from '@payment-tracking/bus'
import type { DeliveryQueue } from '@payment-tracking/queue'
import type { Logger } from '@payment-tracking/runtime'
import type { Store } from '@payment-tracking/store/core'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { html, type Html } from '../html/html.js'
import { layout } from '../html/layout.js'
import type { LagSamples } from '../lag/lag-samples.js'
import type { Sessions } from '../session/session.js'

export interface PageParts {
  store: Store
  bus: Bus
  queue: DeliveryQueue
  log: Logger
  lag: LagSamples
  sessions: Sessions
  environment: string
  /** null where nothing names its site */
  consoleUrl: string | null
  subjectPrefix: string
  streamName: string
  /** where the indexer keeps its lease and checkpoint */
  indexerBucket: string
}

/** How often a page without a form asks again. */
const REFRESH_SECONDS = 5
/** The most rows that one bulk form changes. */
export const BULK_LIMIT = 1_000
export const PAGE_SIZE = 100

/** The ids of ticked rows; malformed ids are left out. */
export const readIds = (sent: string | string[] | undefined): bigint[] =>
  [sent ?? []]
    .flat()
    .filter(id => /^\d{1,18}$/.test(id))
    .map(BigInt)

export const readBefore = (sent: string | undefined): bigint | undefined => readIds(sent)[0]

/**
 * The address to which a form returns, with a notice of the result. The notice is signed for the session, so that a
 * foreign link cannot put text into a page of the dashboard.
 */
export function back({ sessions }: PageParts, request: FastifyRequest, path: string, notice: string): string {
  const signed = sessions.sign(request.opsSession, 'notice', notice)
  return `${path}?${new URLSearchParams({ notice, signed }).toString()}`
}

/** The result of the last form; null for a notice that this dashboard did not sign for this session. */
export function readNotice({ sessions }: PageParts, request: FastifyRequest): string | null {
  const { notice, signed } = request.query as { notice?: unknown; signed?: unknown }
  if (typeof notice !== 'string' || typeof signed !== 'string') return null
  return sessions.isSigned(request.opsSession, 'notice', signed, notice) ? notice : null
}

/** Sends a page that asks again by itself, until its reader stops it: somebody may need longer to read it. */
export function sendLive(
  { sessions, environment }: Pick<PageParts, 'sessions' | 'environment'>,
  request: FastifyRequest,
  reply: FastifyReply,
  page: { title: string; body: Html },
): FastifyReply {
  const isStopped = 'still' in (request.query as object)
  if (!isStopped) reply.header('refresh', String(REFRESH_SECONDS))
  const refresh = isStopped ? 'stopped' : { everySeconds: REFRESH_SECONDS }
  const csrf = sessions.sign(request.opsSession, 'csrf')
  return reply.type('text/html').send(layout({ title: page.title, environment, csrf, refresh }, page.body))
}

/** The rows under their columns; without rows it says so. */
export const table = (columns: readonly string[], rows: readonly Html[]): Html =>
  rows.length === 0
    ? html`<p class="quiet">None.</p>`
    : html`<div class="scroll">
        <table>
          <tr>
            ${columns.map(column => html`<th>${column}</th>`)}
          </tr>
          ${rows}
        </table>
      </div>`
