// A batch is stored by the same statements, with the same result, whichever way its transaction runs.
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { readMessage } from '@payment-tracking/domain'
import {
  createDatabase,
  dumpProjections,
  findArrivalProblems,
  readFixtureMessages,
} from '@payment-tracking/testkit'
import t from 'tap'
import { openStore } from '../../src/database/open-store.js'
import { commitBatch, createWebhook, type ReceivedMessage, type RefusedMessage } from '../../src/index.js'

const BATCH = 150
const GATEWAYS_WITH_WEBHOOKS = 2

t.test('a batch through Prisma stores what a batch through pg stores', async t => {
  const stream = { name: 'FIXTURES', createdAt: new Date(0) }
  const read = (await readFixtureMessages()).map((bytes, index) => ({
    place: { streamSequence: index + 1, subject: 'chain.events.fixture', bytes },
    result: readMessage(bytes, { programId: DEFAULT_PROGRAM_ID, requireProgramId: false }),
  }))
  const gateways = new Set(read.map(({ result }) => (result.ok ? result.event.gateway : null)))
  const storeAll = async (bulkFrom: number) => {
    const { url, pool } = await createDatabase(t)
    const store = openStore({ DATABASE_URL: url, poolSize: 2 })
    t.teardown(() => store.close())
    for (const gateway of [...gateways].filter(each => each !== null).slice(0, GATEWAYS_WITH_WEBHOOKS)) {
      await createWebhook(store, { gateway, endpointUrl: 'https://shop.example/', active: true })
    }
    const answers = []
    // The second pass brings duplicates alone.
    for (const messages of [read, read]) {
      for (let from = 0; from < messages.length; from += BATCH) {
        const received: ReceivedMessage[] = []
        const refused: RefusedMessage[] = []
        for (const { place, result } of messages.slice(from, from + BATCH)) {
          if (result.ok) received.push({ ...place, event: result.event })
          else refused.push({ ...place, ...result.refusal })
        }
        answers.push(await commitBatch(store, { stream, received, refused }, bulkFrom))
      }
    }
    t.strictSame(await findArrivalProblems(pool), [])
    const { rows: deliveries } = await pool.query(
      'select webhook_id, event_id, message_id, type, body from deliveries order by id',
    )
    return { answers, deliveries, rows: await dumpProjections(pool) }
  }
  const throughPrisma = await storeAll(0)
  const throughPg = await storeAll(Infinity)
  t.ok(throughPrisma.deliveries.length > 0)
  t.ok(throughPrisma.answers.some(({ deadLetterCount }) => deadLetterCount > 0))
  t.strictSame(throughPrisma, throughPg)
})
