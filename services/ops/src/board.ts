import type { IncomingHttpHeaders } from 'node:http'
import { createBullBoard } from '@bull-board/api'
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter'
import { HonoAdapter } from '@bull-board/hono'
import { serveStatic } from '@hono/node-server/serve-static'
import type { BoardQueue, DeliveryQueue } from '@payment-tracking/queue'
import type { FastifyInstance } from 'fastify'
import { Hono } from 'hono'
import { etag } from 'hono/etag'
import { isDeliverJob } from '@payment-tracking/contracts'
import { refuse } from './refuse.js'

export const BOARD_PATH = '/queues'

const ABOUT = [
  'Webhook deliveries of what just happened; their rows in Postgres are the truth',
  'Deliveries that come together or again, with slots of their own',
]

/**
 * Puts Bull Board behind the guard. Its adapter for hono brings two packages where the one for fastify brings twenty;
 * fastify sends hono's answers. A job holds no secret and no path of an endpoint (`DeliverJob`). Bull Board changes no
 * job: the delivery's row says `failed`, and "Failed deliveries" opens a new cycle for the row.
 */
export function addBoard(
  app: FastifyInstance,
  { board, queue, environment }: { board: BoardQueue; queue: DeliveryQueue; environment: string },
): void {
  // Bull Board has its own error handler. Without Redis, that handler would report an internal error after some time.
  app.addHook('preHandler', async (request, reply) => {
    if (!request.url.startsWith(`${BOARD_PATH}/api/`)) return
    await queue.ping().catch(() => refuse(reply, 503, 'QUEUE_UNAVAILABLE', 'Redis did not answer.'))
  })
  const serverAdapter = new HonoAdapter(serveStatic)
  serverAdapter.setBasePath(BOARD_PATH)
  createBullBoard({
    queues: board.queues.map(
      (each, n) =>
        new BullMQAdapter(each, {
          readOnlyMode: true,
          allowRetries: false,
          description: ABOUT[n]!,
          externalJobUrl: deliveryPageOf,
        }),
    ),
    serverAdapter,
    options: {
      uiConfig: {
        boardTitle: `[${environment}] Payment tracking`,
        miscLinks: [
          { text: 'Overview', url: '/' },
          { text: 'Pipeline', url: '/pipeline' },
          { text: 'Dead letters', url: '/dead-letters' },
          { text: 'Failed deliveries', url: '/failed-deliveries' },
          { text: 'Stream gaps', url: '/stream-gaps' },
          { text: 'Work', url: '/work' },
        ],
      },
    },
  })
  const pages = new Hono()
    .use(`${BOARD_PATH}/static/*`, etag())
    .route(BOARD_PATH, serverAdapter.registerPlugin())
  // Each is a route of fastify as well, so that whoever lists the routes sees them all.
  for (const { method, path } of pages.routes)
    if (method !== 'ALL')
      app.route({
        method,
        url: path,
        // No body: it could only ask for a change.
        handler: async ({ url, method, headers }) =>
          withoutOthers(
            await pages.fetch(
              new Request(new URL(url, 'http://board'), { method, headers: headersOf(headers) }),
            ),
          ),
      })
}

/** Bull Board's page asks another server for its fonts. */
async function withoutOthers(answer: Response): Promise<Response> {
  if (!answer.headers.get('content-type')?.startsWith('text/html')) return answer
  const page = (await answer.text()).replaceAll(/<link[^>]+href="https?:[^>]*>/g, '')
  const headers = new Headers(answer.headers)
  headers.delete('content-length')
  return new Response(page, { status: answer.status, headers })
}

/** Who wrote the job may have written anything. */
const deliveryPageOf = ({ data }: { data?: unknown }) => ({
  href: isDeliverJob(data) ? `/failed-deliveries/${data.deliveryId}` : '/failed-deliveries',
  displayText: 'delivery',
})

const headersOf = (headers: IncomingHttpHeaders): [string, string][] =>
  Object.entries(headers).map(([name, value]) => [name, String(value)])
