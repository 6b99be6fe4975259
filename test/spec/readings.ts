// How the service reads what its specification leaves open: the table of docs/existing-clients.md.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { buildAddress, startService } from '@payment-tracking/testkit'
import t from 'tap'
import { drawTable, replaceTables } from '../documents/table.js'
import { askAt, query, world } from './open-world.js'
import { checkRows, type Row } from './rows.js'

const { shop, custom, endless, one, two, token } = world
const POLICIES = 1_001
const CROWD = buildAddress('crowd')

await world.database.pool.query(
  `insert into policies (address, user_payment, incarnation_start, gateway, recipient, policy_id, policy_type, created_at,
     live, status, updated_at)
   select substr($1, 1, 40) || translate(lpad(n::text, 4, '0'), '0', 'A'), $1, '1', $1, $1, n,
          '{"Subscription":{"amount":1,"auto_renew":true,"max_renewals":null,"payment_frequency":{"Daily":null},"next_payment_due":5}}',
          1700000000 + n, true, 'active', 1700000000
     from generate_series(1, $2::int) n`,
  [CROWD, POLICIES],
)
const strict = await world.start('api', { WEBHOOK_ALLOW_PRIVATE_TARGETS: 'off' })
const ask = askAt(String((await strict.waitForLog('http.listening')).address))
// A process of the API whose servers are all away.
const alone = await startService(
  t,
  'api',
  {
    ...world.settings,
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    REDIS_URL: 'redis://127.0.0.1:1',
    PORT: '0',
  },
  { waitUntilReady: false },
)
const aloneUrl = String((await alone.waitForLog('http.listening')).address)

const termsOf = async (trackingId: string) =>
  (await ask('GET', query('/v1/subscriptions', { trackingId }))).body.data[0].policyType.subscription
const register = (endpointUrl: string) =>
  ask('POST', '/v1/webhooks', {
    token,
    body: { gateway_pubkey: shop.address, endpoint_url: endpointUrl, active: false },
  })
const forget = () => ask('DELETE', `/v1/webhooks/gateway/${shop.address}`, { token })
const READINGS: Record<string, string> = {
  'several one-time payments': '`data` is an array; with exactly one in the page, the record',
  '"after", "before" a time': '`startTime` and `endTime` belong to the span',
  'frequencies but `Monthly`':
    'the program\'s names with null; `Custom` with its seconds: `{"Custom": 262800}`',
  '`nextPaymentDue` without a date': 'null: interval 0, overflow, or outside 1970 to 9999',
  'how many subscriptions': '1,000, and a `cursor`',
  'how many webhooks': '20 of a gateway, also inactive ones',
  'which endpoints': '`https` on port 443 or 8443, outside private networks',
  'whose health': 'of the process that answers; other servers may be away',
}
const reading = (says: string, check: () => Promise<void>): Row => ({
  section: 0,
  table: 'readings',
  says,
  check,
})

const rows: Row[] = [
  reading('several one-time payments', async () => {
    const { data } = (await ask('GET', '/v1/onetime/two%20payments')).body
    assert.deepEqual(
      data.map(({ signature }: { signature: string }) => signature),
      two.map(({ signature }) => signature).toReversed(),
    )
    assert.equal((await ask('GET', '/v1/onetime/one%20payment')).body.data.signature, one.signature)
    assert.ok(!Array.isArray((await ask('GET', '/v1/onetime/two%20payments?limit=1')).body.data))
  }),
  reading('"after", "before" a time', async () => {
    const span = query('/v1/events', { startTime: one.timestamp, endTime: one.timestamp, limit: 200 })
    const signatures = (await ask('GET', span)).body.map(({ signature }: { signature: string }) => signature)
    assert.ok(signatures.includes(one.signature))
  }),
  reading('frequencies but `Monthly`', async () =>
    assert.deepEqual((await termsOf(custom.trackingId)).paymentFrequency, { Custom: 262_800 }),
  ),
  reading('`nextPaymentDue` without a date', async () =>
    assert.equal((await termsOf(endless.trackingId)).nextPaymentDue, null),
  ),
  reading('how many subscriptions', async () => {
    const pages: number[] = []
    let url: string | undefined = query('/v1/subscriptions', { recipient: CROWD })
    while (url !== undefined) {
      const { body, headers } = await ask('GET', url)
      pages.push(body.data.length)
      url = /^<(.*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]
    }
    assert.deepEqual(pages, [1_000, POLICIES - 1_000])
  }),
  reading('how many webhooks', async () => {
    await forget()
    const statuses: number[] = []
    for (let number = 0; number <= 20; number++)
      statuses.push((await register(`https://shop.example/${number}`)).status)
    assert.deepEqual(statuses, [...Array.from({ length: 20 }, () => 201), 409])
  }),
  reading('which endpoints', async () => {
    await forget()
    for (const [endpointUrl, status] of [
      ['https://shop.example/', 201],
      ['https://shop.example:8443/', 201],
      ['https://shop.example:9000/', 400],
      ['http://shop.example/', 400],
      ['https://127.0.0.1/', 400],
    ] as const)
      assert.equal((await register(endpointUrl)).status, status, endpointUrl)
  }),
  reading('whose health', async () => {
    assert.equal((await ask('GET', '/v1/health')).body.data.status, 'ok')
    const answer = await fetch(`${aloneUrl}/v1/health`)
    const { data } = (await answer.json()) as { data: object }
    assert.deepEqual([answer.status, data], [200, { ...data, status: 'ok', firstPosition: null }])
  }),
]

t.test('what the specification leaves open', t => checkRows(t, rows, { '0 readings': 8 }))

t.test('the document has these readings', async t => {
  const file = new URL('../../docs/existing-clients.md', import.meta.url)
  const kept = readFileSync(file, 'utf8')
  const table = drawTable([['question', 'reading'], ...rows.map(({ says }) => [says, READINGS[says]!])])
  const document = replaceTables(kept, [table])
  if (process.env.UPDATE_DOCUMENTS) writeFileSync(file, document)
  else t.equal(kept, document, 'run UPDATE_DOCUMENTS=1 npm test -- test/spec/spec.test.ts')
})
