// Counts and statistics between any two times equal a count one by one.
import fc from 'fast-check'
import { countRows } from '@payment-tracking/testkit'
import t from 'tap'
import { parse } from 'lossless-json'
import { fillFromFixtures } from './fill-from-fixtures.js'
import { openApi } from './open-api.js'

const api = await openApi(t, { RATE_LIMIT_MAX: '100000' })
await fillFromFixtures(api.store)
const { pool } = api.database
const { rows: times } = await pool.query<{ at: Date }>(
  'select distinct occurred_at as at from events order by 1',
)
const { rows: gateways } = await pool.query<{ gateway: string }>(
  'select distinct gateway from events where gateway is not null',
)

const { rows: names } = await pool.query<{ name: string }>('select distinct name from events order by 1')

const HOUR_MS = 3_600_000
/** Times at which something changes: events, hours and days, and a millisecond before and after. */
const moment = fc
  .tuple(
    fc.oneof(
      fc.constantFrom(...times.map(({ at }) => at.getTime())),
      fc.constantFrom(...times.map(({ at }) => Math.floor(at.getTime() / HOUR_MS) * HOUR_MS)),
      fc.constantFrom(...times.map(({ at }) => Math.ceil(at.getTime() / (24 * HOUR_MS)) * 24 * HOUR_MS)),
    ),
    fc.constantFrom(-1, 0, 1),
  )
  .map(([ms, off]) => new Date(ms + off).toISOString())
const bounds = fc.record({ startTime: moment, endTime: moment }, { requiredKeys: [] })
const where = ({ startTime, endTime }: { startTime?: string; endTime?: string }) =>
  [
    startTime === undefined ? 'true' : `occurred_at >= '${startTime}'`,
    endTime === undefined ? 'true' : `occurred_at <= '${endTime}'`,
  ].join(' and ')
const query = (parameters: Record<string, string | undefined>) =>
  new URLSearchParams(
    Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== undefined),
  )
const exact = (text: string): unknown => parse(text, undefined, digits => BigInt(digits))

t.test('counts', async t => {
  await fc.assert(
    fc.asyncProperty(
      bounds,
      fc.constantFrom(undefined, undefined, ...names.map(({ name }) => name)),
      fc.constantFrom(undefined, ...gateways.map(({ gateway }) => gateway)),
      async (range, eventName, gateway) => {
        const ofName = eventName === undefined ? '' : `and name = '${eventName}'`
        const ofGateway = gateway === undefined ? '' : `and gateway = '${gateway}'`
        const rows = `events where retracted_at is null and ${where(range)} ${ofName} ${ofGateway}`
        const { text } = await api.get(`/v1/events/count?${query({ ...range, eventName, gateway })}`)
        return text === `{"count":${await countRows(pool, rows)}}`
      },
    ),
    { numRuns: 400 },
  )
  t.pass('as counted one by one')
})

t.test('statistics', async t => {
  await fc.assert(
    fc.asyncProperty(
      bounds,
      fc.constantFrom(undefined, ...gateways.map(({ gateway }) => gateway)),
      async (range, gateway) => {
        const ofGateway = gateway === undefined ? '' : `and e.gateway = '${gateway}'`
        const from = `from events e where e.name = 'PaymentRecord' and ${where(range)} ${ofGateway}`
        const { rows } = await pool.query<Record<string, string | null>>(
          `select count(*), coalesce(sum(amount), 0) as total, coalesce(div(sum(amount), count(*)), 0) as average, min(amount), max(amount),
                to_char(min(occurred_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as first,
                to_char(max(occurred_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as last ${from}`,
        )
        const { rows: tokens } = await pool.query<Record<string, string> & { mint: string | null }>(
          `select * from (select coalesce(p.token_mint, u.token_mint) as mint, count(*), sum(p.amount) as total,
                  div(sum(p.amount), count(*)) as average, min(p.amount), max(p.amount)
           from (select e.* ${from}) p left join policies o on o.address = p.payment_policy
           left join user_payments u on u.address = o.user_payment
          group by 1) m order by count desc, coalesce(mint, '') collate "C"`,
        )
        const row = rows[0]!
        const integer = (digits: string | null) => (digits === null ? null : BigInt(digits))
        const amounts = ({ total, average, min, max }: Record<string, string | null>) => ({
          totalAmount: integer(total!),
          averageAmount: integer(average!),
          minAmount: integer(min!),
          maxAmount: integer(max!),
        })
        // Amounts of different tokens are never added or compared.
        const none = { total: null, average: null, min: null, max: null }
        const answer = await api.get(`/v1/events/payments/stats?${query({ ...range, gateway })}`)
        t.strictSame(
          exact(answer.text),
          {
            count: integer(row.count!),
            ...amounts(tokens.length > 1 ? none : row),
            averagePayment: tokens.length > 1 ? null : integer(row.average!),
            firstPaymentAt: row.first,
            lastPaymentAt: row.last,
            byToken: tokens.map(token => ({
              tokenMint: token.mint,
              count: BigInt(token.count!),
              ...amounts(token),
            })),
          },
          `${String(query({ ...range, gateway }))}`,
        )
      },
    ),
    { numRuns: 150 },
  )
})

t.test('bounds may be dates and have offsets; without an offset they are UTC', async t => {
  const count = async (parameters: Record<string, string>) =>
    (await api.get(`/v1/events/count?${query(parameters)}`)).text
  const whole = await count({ startTime: '2026-02-01T00:00:00Z', endTime: '2026-03-01T00:00:00.000Z' })
  t.not(whole, '{"count":0}')
  for (const [startTime, endTime] of [
    // A date without a time means that whole day, also at the end of a range.
    ['2026-02-01', '2026-02-28'],
    ['2026-02-01T00:00', '2026-03-01T00:00:00'],
    ['2026-02-01T02:00:00+02:00', '2026-02-28T19:00:00-05:00'],
    ['2026-02-01T02:00:00 02:00', '2026-03-01T00:00:00.0009Z'],
  ] as const) {
    t.equal(await count({ startTime, endTime }), whole, `${startTime} to ${endTime}`)
  }
  const all = await count({})
  t.equal(await count({ startTime: '0001-01-01', endTime: '9999-12-31T23:59:59.999999999Z' }), all)
  t.equal(await count({ startTime: '9999-12-31T23:59:59.999999999Z' }), '{"count":0}')
  t.equal((await api.get('/v1/events?startTime=9999-12-31T23:59:59.9999Z')).status, 200)
  t.equal(await count({ startTime: '2026-03-01', endTime: '2026-02-01' }), '{"count":0}')
})
