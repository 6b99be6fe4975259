// Measures what filters and ordered delivery cost ingest. Batches are stored from memory, in turns, for two kinds of
// gateways: the webhooks of one have no choices, those of the other filter and are ordered. Both get the same deliveries.
import { openStore } from '@payment-tracking/store'
import type { Pool } from '@payment-tracking/testkit'
import { inTurns, type Bench, type Row } from './bench.js'
import { openFeed, type Feed } from './feed.js'
import { copyFilled } from './fill.js'
import { commitAll, receive } from './ingest-load.js'

const SIZE = 2_000
const MESSAGES = 8_000
/** Beside the webhook that gets every payment, so many that get none. */
const REFUSING = 4

async function addWebhooks(pool: Pool, { gateways }: Feed, seed?: string): Promise<void> {
  const add = (filters: object | null, ordered: boolean) =>
    pool.query(
      `insert into webhooks (gateway, endpoint_url, secret, filters, ordered)
       select gateway, 'https://receiver.invalid/', 'whsec_AAAA', $2, $3 from unnest($1::text[]) gateway`,
      [gateways, filters, ordered],
    )
  if (seed === undefined) return void (await add(null, false))
  await add({ trackingIdPrefix: seed }, true)
  for (let n = 0; n < REFUSING; n++) await add({ trackingIdPrefix: `not ${n}`, recipient: `shop ${n}` }, true)
}

export const bench: Bench = {
  name: 'ingest-choices',
  about:
    'batches stored from memory for webhooks with filters and ordered delivery, and for webhooks without',
  async run(context) {
    const { url, pool } = await copyFilled(context, context.quick ? 1_000 : 100_000)
    const store = openStore({ DATABASE_URL: url, poolSize: 2 })
    context.teardown(() => store.close())
    const plain = await openFeed('plain')
    const choosing = await openFeed('choosing')
    await addWebhooks(pool, plain)
    await addWebhooks(pool, choosing, 'choosing')
    const count = context.quick ? 100 : MESSAGES
    /** CPU of this process; Postgres' part shows in the rate. */
    const measure = (feed: Feed, seconds: number[]) => async () => {
      const received = await receive(feed, count)
      const [cpu, startedAt] = [process.cpuUsage(), performance.now()]
      await commitAll(store, received, SIZE)
      seconds.push((performance.now() - startedAt) / 1000)
      const { user, system } = process.cpuUsage(cpu)
      return (user + system) / count
    }
    const [withChoices, without]: [number[], number[]] = [[], []]
    const { subject, limit } = await inTurns(
      context.quick ? 1 : 9,
      measure(choosing, withChoices),
      measure(plain, without),
    )
    const medianOf = (times: number[]) => times.toSorted((a, b) => a - b)[times.length >> 1]!
    const rows: Row[] = [
      {
        subject: `CPU of ingest for an event, one filtered and ordered webhook a gateway, ${REFUSING} that refuse`,
        unit: 'µs',
        largerIsBetter: false,
        measured: subject,
        limit: { name: 'one webhook a gateway that chooses nothing', measured: limit },
        note: `goal: at most 1.10; time of the same batches, Postgres included: ${(medianOf(withChoices) / medianOf(without)).toFixed(2)}`,
      },
    ]
    context.say(`CPU ${(subject.median / limit.median).toFixed(2)}, ${rows[0]!.note}`)
    return rows
  },
}
