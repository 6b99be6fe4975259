import { createBullBoard } from '@bull-board/api'
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter'
import { FastifyAdapter } from '@bull-board/fastify'
import type { BoardQueue, DeliveryQueue } from '@payment-tracking/queue'
import type { FastifyInstance } from 'fastify'
import { refuse } from './refuse.js'

export const BOARD_PATH = '/queues'

const ABOUT = [
  'Webhook deliveries of what just happened; their rows in Postgres are the truth',
  'Deliveries that come together or again, with slots of their own',
]

/**
 * Puts Bull Board behind the guard. Jobs carry only ids, so the board shows nothing secret. Bull Board changes no
 * job: the delivery's row says `failed`, and "Failed deliveries" opens a new round for the row.
 */
export async function addBoard(
  app: FastifyInstance,
  { board, queue, environment }: { board: BoardQueue; queue: DeliveryQueue; environment: string },
): Promise<void> {
  // Bull Board has its own error handler. Without Redis, that handler would report an internal error after some time.
  app.addHook('preHandler', async (request, reply) => {
    if (!request.url.startsWith(`${BOARD_PATH}/api/`)) return
    await queue.ping().catch(() => refuse(reply, 503, 'QUEUE_UNAVAILABLE', 'Redis did not answer.'))
  })
  const serverAdapter = new FastifyAdapter()
  serverAdapter.setBasePath(BOARD_PATH)
  createBullBoard({
    queues: board.queues.map(
      (each, n) =>
        new BullMQAdapter(each, { readOnlyMode: true, allowRetries: false, description: ABOUT[n]! }),
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
  await app.register(serverAdapter.registerPlugin(), { prefix: BOARD_PATH })
}
