// How many connections to Postgres a fleet opens with default settings: the servers' limits are shared by all.
import { readServiceSchema, SERVICES } from '@payment-tracking/stack'
import t from 'tap'
// @ts-expect-error a script without types
import { CONNECTIONS } from '../scripts/sizing.mjs'

const FLEET: Record<string, number> = { realtime: 30, api: 18, 'webhook-worker': 6, ingest: 2 }
const MOST = 200

/** Beside the pool: ingest's own connection, and the api's two for lookups. */
const BESIDE: Record<string, number> = { ingest: 1, api: 2 }

async function connectionsOf(service: string): Promise<number> {
  const { properties } = (await readServiceSchema(service))!
  const size = (properties.DATABASE_POOL_SIZE ?? properties.POOL_SIZE) as { default: number }
  return size.default + (BESIDE[service] ?? 0)
}

t.test(
  `a fleet of ${Object.values(FLEET).reduce((a, b) => a + b)} processes stays below ${MOST} connections`,
  async t => {
    let sum = 0
    for (const [service, processes] of Object.entries(FLEET))
      sum += processes * (await connectionsOf(service))
    t.ok(sum < MOST, `${sum} connections`)
  },
)

t.test('the script that sizes a deployment counts the same', async t => {
  for (const service of SERVICES)
    t.equal((CONNECTIONS as Record<string, number>)[service], await connectionsOf(service), service)
})
