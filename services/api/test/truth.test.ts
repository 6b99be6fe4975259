// Every value of the second set's expected.json comes out of the API, integers to the last digit.
import t from 'tap'
import { parse } from 'lossless-json'
import { readFileSync } from 'node:fs'
import { fillFromSecondFixtures } from './fill-from-fixtures.js'
import { openApi } from './open-api.js'

/** Integers as bigint: a double would hide a wrong digit. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
const exact = (text: string): any =>
  parse(text, undefined, digits => (/^-?\d+$/.test(digits) ? BigInt(digits) : Number(digits)))
const expected = exact(
  readFileSync(new URL('../../../test/fixtures/2/expected.json', import.meta.url), 'utf8'),
)

// Tests read untyped JSON on purpose.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Untyped = any

const api = await openApi(t, { RATE_LIMIT_MAX: '100000' })
await fillFromSecondFixtures(api.store)

const get = async (path: string): Promise<Untyped> => exact((await api.get(path)).text)
const queryOf = (query: Record<string, unknown>): string =>
  new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString()
const pathOf = (trackingId: string): string => `/v1/onetime/${encodeURIComponent(trackingId)}`
const onetime = async (trackingId: string, query = ''): Promise<Untyped[]> => {
  const { data } = await get(`${pathOf(trackingId)}?limit=1000${query}`)
  return data === undefined ? [] : Array.isArray(data) ? data : [data]
}
/** Rows whose order is not told are compared as a set. */
const sorted = (rows: Untyped[]): string[] =>
  rows
    .map(row => JSON.stringify(row, (_key, value) => (typeof value === 'bigint' ? `${value}n` : value)))
    .sort()
const pick = (names: string[], row: Untyped): Untyped =>
  Object.fromEntries(names.map(name => [name, row[name]]))

t.test('counts and names', async t => {
  t.same((await api.get('/v1/events/names')).body, expected.eventNames)
  t.same(await get('/v1/events/count'), { count: expected.stored })
  for (const [name, count] of Object.entries(expected.countByName)) {
    t.same(await get(`/v1/events/count?eventName=${name}`), { count }, name)
    t.equal(BigInt((await get(`/v1/events?eventName=${name}&limit=1000`)).length), count, name)
  }
})

t.test('statistics, of which amounts of different mints are never added', async t => {
  for (const { about, query, answer } of expected.stats) {
    const { byToken, ...rest } = answer
    const stats = await get(`/v1/events/payments/stats?${queryOf(query)}`)
    t.same(pick(Object.keys(rest), stats), rest, about)
    t.same(
      sorted(stats.byToken.map((token: Untyped) => pick(Object.keys(byToken[0] ?? {}), token))),
      sorted(byToken),
      about,
    )
  }
})

t.test('every policy that exists, by every lookup', async t => {
  for (const wanted of expected.subscriptions) {
    const { trackingId, policyAddress, knownType, record, additive, dueState, paymentsOfAddress } = wanted
    const { data } = await get(`/v1/subscriptions?${queryOf({ trackingId })}`)
    const found = data.find((one: Untyped) => one.policyAddress === policyAddress)
    const { policyType, ...base } = record
    t.same(pick(Object.keys(base), found), base, trackingId)
    if (knownType) t.same(found.policyType, policyType, trackingId)
    else t.same(Object.keys(found.policyType), Object.keys(policyType), trackingId)
    t.same(pick(Object.keys(additive), found), additive, trackingId)
    if (dueState !== undefined) t.equal(found.dueState, dueState, trackingId)
    const payments = await get(`/v1/events/payments?paymentPolicy=${policyAddress}&limit=1000`)
    t.equal(BigInt(payments.length), paymentsOfAddress, trackingId)
  }
  for (const { query, policies } of expected.lookups) {
    const { data } = await get(`/v1/subscriptions?${queryOf(query)}`)
    const addresses = data.map((one: Untyped) => one.policyAddress)
    t.same([...addresses].sort(), [...policies].sort(), queryOf(query))
    const created = data.map((one: Untyped) => one.createdAt)
    t.ok(
      created.every((at: bigint, index: number) => index === 0 || created[index - 1] >= at),
      'newest first',
    )
  }
  for (const trackingId of expected.gone)
    t.same((await get(`/v1/subscriptions?${queryOf({ trackingId })}`)).data, [], trackingId)
})

t.test('payments of every tracking ID, and those that were retracted', async t => {
  for (const { trackingId, newestFirst, retracted, seqs } of expected.oneTime) {
    const found = await onetime(trackingId)
    const names = Object.keys({ ...newestFirst[0]?.base, ...newestFirst[0]?.additive }).filter(
      name => name !== 'memo',
    )
    t.same(
      sorted(found.map(one => pick(names, one))),
      sorted(newestFirst.map((one: Untyped) => pick(names, { ...one.base, ...one.additive }))),
      trackingId,
    )
    t.ok(
      found.every((one, at) => at === 0 || found[at - 1].timestamp >= one.timestamp),
      'newest first',
    )
    const all = await onetime(trackingId, '&retracted=true')
    t.same(
      sorted(all.filter(one => one.retracted).map(({ signature, slot }) => ({ signature, slot }))),
      sorted(retracted.map(({ signature, slot }: Untyped) => ({ signature, slot }))),
      trackingId,
    )
    t.equal(all.length, newestFirst.length + retracted.length)
    t.same(
      all.map(({ seq }) => Number(seq)).sort((a, b) => a - b),
      Array.from({ length: Number(seqs) }, (_, at) => at + 1),
      `seqs of ${trackingId}`,
    )
    if (newestFirst.length === 0) t.equal((await api.get(pathOf(trackingId))).status, 404)
  }
  for (const trackingId of expected.unpaid) t.equal((await api.get(pathOf(trackingId))).status, 404)
})

t.test('the events of a transaction, and those that were retracted', async t => {
  for (const { signature, ordered, events, retracted } of expected.transactions) {
    const told = (one: Untyped) => ({
      eventName: one.eventName,
      ...(one.data.recipient === undefined ? {} : { recipient: one.data.recipient }),
      finality: one.finality,
    })
    const found = (await get(`/v1/events?signature=${signature}`)).map(told)
    if (ordered) t.same(found, events, signature)
    else t.same(sorted(found), sorted(events), signature)
    const all = await get(`/v1/events?signature=${signature}&retracted=true`)
    t.same(
      sorted(
        all
          .filter((one: Untyped) => one.retracted)
          .map(({ slot, eventName }: Untyped) => ({ slot, eventName })),
      ),
      sorted(retracted),
      signature,
    )
    t.ok(all.every((one: Untyped) => typeof one.retracted === 'boolean'))
  }
})

t.test('direct transfers are listed under the default key', async t => {
  const { paymentPolicy, count } = expected.directTransfers
  const found = await get(`/v1/events/payments?paymentPolicy=${paymentPolicy}&limit=1000`)
  t.equal(BigInt(found.length), count)
  for (const one of found)
    t.match(one, { recipient: one.data.recipient, payer: one.data.payer, tokenMint: one.data.token_mint })
})
