// How an endpoint answered over time.
import t from 'tap'
import { addSignedIn, openGatewayApi } from '../gateway-auth/open-gateway-api.js'

const api = await openGatewayApi(t)
const shop = await addSignedIn(api)
const { body: webhook } = await shop.addWebhook()
const answers = async (query = '') =>
  api.call('GET', `/v1/webhooks/${webhook.id}/answers${query}`, { token: shop.token })

t.test('the last 48 hours and the last 60 days are there whole, also where nothing was sent', async t => {
  const fill = (ago: string, accepted: boolean, duration: number, requests: number) =>
    api.database.pool.query(
      `insert into webhook_hours (webhook_id, start, accepted, duration, requests)
       values ($1, date_trunc('hour', now() - $2::interval, 'UTC'), $3, $4, $5)`,
      [webhook.id, ago, accepted, duration, requests],
    )
  await fill('0 h', true, 20, 90)
  await fill('0 h', true, 40, 10)
  await fill('0 h', false, 50, 25)
  await fill('59 days', true, 20, 7)
  await fill('61 days', true, 20, 7)
  const hours = (await answers()).body
  t.equal(hours.length, 48)
  t.match(hours.at(-1), { requests: 125, accepted: 100, p50Ms: 35, p95Ms: 1_336 })
  t.strictSame(hours[0], { start: hours[0].start, requests: 0, accepted: 0, p50Ms: null, p95Ms: null })
  const starts = hours.map(({ start }: { start: string }) => Date.parse(start))
  t.ok(
    starts.every(
      (start: number, at: number) => start % 3_600_000 === 0 && start === starts[0] + at * 3_600_000,
    ),
  )
  const days = (await answers('?by=day')).body
  t.equal(days.length, 60)
  t.match(days[0], { requests: 7, start: /T00:00:00.000Z$/ })
  const all = days.reduce((sum: number, { requests }: { requests: number }) => sum + requests, 0)
  t.equal(all, 132, 'what is older is not there')
  t.equal((await answers('?by=week')).status, 400)
})
