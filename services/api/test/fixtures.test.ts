// The API returns every value of expected.json, integers to the last digit.
import t from 'tap'
import { parse } from 'lossless-json'
import { expected, expectedText, fillFromFixtures } from './fill-from-fixtures.js'
import { openApi } from './open-api.js'

/** Integers as bigint: a double would hide a wrong digit. */
// oxlint-disable-next-line typescript/no-explicit-any
const exact = (text: string): any =>
  parse(text, undefined, digits => (/^-?\d+$/.test(digits) ? BigInt(digits) : Number(digits)))
const exactExpected = exact(expectedText)

interface Token {
  count: bigint
  totalAmount: bigint
}
type Subscription = Record<string, unknown>

const api = await openApi(t, { RATE_LIMIT_MAX: '100000' })
await fillFromFixtures(api.store)

t.test('counts and names', async t => {
  t.same((await api.get('/v1/events/names')).body, expected.eventNames)
  t.same((await api.get('/v1/events/count')).body, { count: expected.stored })
  for (const [name, count] of Object.entries(expected.countByName)) {
    t.same((await api.get(`/v1/events/count?eventName=${name}`)).body, { count }, name)
    t.same((await api.get(`/v1/events/count?eventName=tributary_${name}`)).body, { count }, name)
    t.equal((await api.get(`/v1/events?eventName=${name}&limit=1000`)).body.length, count, name)
  }
})

t.test('statistics of every gateway', async t => {
  for (const { gateway, count, totalAmount } of exactExpected.stats) {
    const stats = exact((await api.get(`/v1/events/payments/stats?gateway=${gateway}`)).text)
    t.equal(stats.count, count, gateway)
    // Amounts of different mints are never added: then only `byToken` holds amounts.
    const isMixed = stats.byToken.length > 1
    t.equal(stats.totalAmount, isMixed ? null : totalAmount, gateway)
    t.equal(stats.averageAmount, isMixed ? null : totalAmount / count)
    const sum = (values: bigint[]) => values.reduce((total, value) => total + value, 0n)
    t.equal(sum(stats.byToken.map((token: Token) => token.count)), count)
    t.equal(sum(stats.byToken.map((token: Token) => token.totalAmount)), totalAmount)
  }
})

t.test('subscriptions by tracking ID, by wallet and mint, and by every other party', async t => {
  for (const { query, wallet, policyAddress, status, record } of exactExpected.subscriptions) {
    const served = { ...record, policyAddress, status }
    const find = async (query: Record<string, string>) =>
      exact((await api.get(`/v1/subscriptions?${new URLSearchParams(query)}`)).text).data as Subscription[]
    const byTrackingId = await find(query)
    t.equal(byTrackingId.length, 1, query.trackingId)
    t.match(byTrackingId[0], { ...wallet }, 'wallet and mint are served')
    t.same({ ...byTrackingId[0], ...served }, byTrackingId[0], query.trackingId)
    for (const other of [
      wallet,
      { userPublicKey: wallet.walletPublicKey },
      { userPublicKey: record.userPayment },
      { recipient: record.recipient, trackingId: query.trackingId },
      { gatewayPublicKey: record.gateway, userPublicKey: record.userPayment },
    ]) {
      const found = (await find(other)).find(one => one.policyAddress === policyAddress)
      t.same(found, byTrackingId[0], JSON.stringify(other))
    }
  }
  for (const trackingId of expected.deletedTrackingIds) {
    t.same((await api.get(`/v1/subscriptions?trackingId=${trackingId}`)).body.data, [], trackingId)
  }
})

t.test('policies of other types are listed under their names', async t => {
  const typeOf = async (trackingId: string) => {
    const { text } = await api.get(`/v1/subscriptions?trackingId=${trackingId}`)
    return exact(text).data[0].policyType
  }
  const [milestone, payAsYouGo, unknown] = expected.otherPolicyTypes
  t.match(await typeOf(milestone!), {
    milestone: { milestoneAmounts: [100n, 200n, 300n, 0n], totalMilestones: 3n, currentMilestone: BigInt },
  })
  t.match(await typeOf(payAsYouGo!), {
    payAsYouGo: { maxAmountPerPeriod: 1000n, periodLengthSeconds: 86400n },
  })
  t.match(await typeOf(unknown!), { somethingNew: { colour: 'green' } })
})

t.test('payments of every tracking ID', async t => {
  for (const { trackingId, recipient, newestFirst } of exactExpected.oneTime) {
    const path = `/v1/onetime/${encodeURIComponent(trackingId)}`
    const wanted = newestFirst.length === 1 ? newestFirst[0] : newestFirst
    const names = Object.keys(newestFirst[0])
    const base = (record: Record<string, unknown>) =>
      Object.fromEntries(names.map(name => [name, record[name]]))
    const baseOf = (text: string) => {
      const { data } = exact(text)
      return Array.isArray(data) ? data.map(base) : base(data)
    }
    const all = await api.get(path)
    t.equal(all.status, 200, trackingId)
    t.same(baseOf(all.text), wanted, trackingId)
    t.same(baseOf((await api.get(`${path}?recipient=${recipient}`)).text), wanted, 'of its recipient')
    const stranger = expected.program
    t.equal((await api.get(`${path}?recipient=${stranger}`)).status, 404)
    t.same(baseOf((await api.get(`${path}?limit=1`)).text), newestFirst[0])
    t.equal((await api.get(`${path}?offset=${newestFirst.length}`)).status, 404)
    t.equal(
      (
        await api.get(
          `/v1/events?eventName=PaymentRecord&trackingId=${encodeURIComponent(trackingId)}&limit=1000`,
        )
      ).body.length,
      newestFirst.length,
    )
  }
})
