// The API returns every value of both sets' expected.json, integers to the last digit; and each message that is refused is refused
// for its own fault. That no order, cut or repetition changes the rows is a law of packages/store/test/laws.
import { DIRECT_TRANSFER_POLICY } from '@payment-tracking/domain'
import {
  compareAnswers,
  describeDifferences,
  findArrivalProblems,
  readSecondAnswers,
  toSecondShape,
  type FixtureAnswers,
} from '@payment-tracking/testkit'
import t from 'tap'
import { expected, fillFromFixtures, fillFromSecondFixtures } from './fill-from-fixtures.js'
import { openApi, type TestApi } from './open-api.js'

const compare = async (api: TestApi, wanted: FixtureAnswers) => {
  const comparison = await compareAnswers(wanted, path => api.get(path))
  t.strictSame(describeDifferences(comparison), [])
  t.strictSame(await findArrivalProblems(api.database.pool), [])
  return comparison.compared
}
const countsOf = async ({ database }: TestApi, sql: string): Promise<Record<string, number>> => {
  const { rows } = await database.pool.query<{ key: string; count: string }>(sql)
  return Object.fromEntries(rows.map(({ key, count }) => [key, Number(count)]))
}
const LETTERS = 'select code as key, count(*) from dead_letters where replayed_at is null group by code'

t.test('every answer of the first set of fixtures', async t => {
  const api = await openApi(t, { RATE_LIMIT_MAX: '100000' })
  await fillFromFixtures(api.store)
  const compared = await compare(api, toSecondShape(expected))
  t.ok(compared > 400, `${compared} values were compared`)
  t.same(await countsOf(api, LETTERS), {
    NOT_JSON: 2,
    NOT_AN_EVENT: 3,
    BAD_SLOT: 3,
    BAD_SIGNATURE: 2,
    BAD_INDEX: 2,
    BAD_EVENT_NAME: 1,
    BAD_TIMESTAMP: 1,
    BAD_DATA: 12,
    FOREIGN_PROGRAM: 1,
  })

  t.test('a policy is found by each of its parties, and a payment by its recipient', async t => {
    for (const { query, wallet, policyAddress, record } of expected.subscriptions)
      for (const by of [
        wallet,
        { userPublicKey: wallet.walletPublicKey },
        { userPublicKey: record.userPayment },
        { recipient: record.recipient, trackingId: query.trackingId },
        { gatewayPublicKey: record.gateway, userPublicKey: record.userPayment },
      ] as Record<string, string>[]) {
        const { body } = await api.get(`/v1/subscriptions?${new URLSearchParams(by)}`)
        const addresses = body.data.map((one: { policyAddress: string }) => one.policyAddress)
        t.ok(addresses.includes(policyAddress), JSON.stringify(by))
      }
    for (const { trackingId, recipient, newestFirst } of expected.oneTime) {
      const path = `/v1/onetime/${encodeURIComponent(trackingId)}`
      const signaturesOf = async (of: string) =>
        [(await api.get(path + of)).body.data ?? []].flat().map(({ signature }) => signature as string)
      const all = newestFirst.map(({ signature }) => signature)
      t.same(await signaturesOf(`?recipient=${recipient}`), all, trackingId)
      t.same(await signaturesOf(`?recipient=${expected.program}`), [], 'of a stranger')
      t.same(await signaturesOf('?limit=1'), all.slice(0, 1))
      t.same(await signaturesOf(`?offset=${all.length}`), [])
    }
  })

  t.test('policies of other types are listed under their names', async t => {
    const types = await Promise.all(
      expected.otherPolicyTypes.map(
        async id => (await api.get(`/v1/subscriptions?trackingId=${id}`)).body.data[0].policyType,
      ),
    )
    t.match(types, [
      { milestone: { milestoneAmounts: [100, 200, 300, 0], totalMilestones: 3, currentMilestone: Number } },
      { payAsYouGo: { maxAmountPerPeriod: 1000, periodLengthSeconds: 86400 } },
      { somethingNew: { colour: 'green' } },
    ])
  })
})

t.test('every answer of the second set of fixtures', async t => {
  const api = await openApi(t, { RATE_LIMIT_MAX: '100000' })
  await fillFromSecondFixtures(api.store)
  const second = await readSecondAnswers()
  const compared = await compare(api, second)
  t.ok(compared > 2_500, `${compared} values were compared`)
  t.same(await countsOf(api, `select 'all' as key, count(*) from events where retracted_at is not null`), {
    all: second.retractedEvents,
  })
  const { unnamed, ...refused } = second.deadLetters as Record<string, number>
  const { BAD_CONTROL, BAD_TRANSACTION_INDEX, BAD_COMMITMENT, ...named } = await countsOf(api, LETTERS)
  t.strictSame(named, refused)
  t.equal(BAD_CONTROL! + BAD_TRANSACTION_INDEX! + BAD_COMMITMENT!, unnamed)
  const finalizedSlot = await countsOf(api, `select 'slot' as key, finalized_slot as count from stream_head`)
  t.same(finalizedSlot, { slot: second.finalizedSlot })
  const gaps = second.gaps as { open: unknown[]; closed: unknown[] }
  t.same(await countsOf(api, 'select (closed_at is null)::text as key, count(*) from gaps group by 1'), {
    true: gaps.open.length,
    false: gaps.closed.length,
  })

  t.test('the events of a gateway are counted, by name and together', async t => {
    const { rows } = await api.database.pool.query<{ gateway: string; name: string | null; count: number }>(
      `select gateway, name, count(*)::int as count from events where gateway is not null and retracted_at is null
        group by grouping sets ((gateway, name), (gateway))`,
    )
    const named = (wanted: string) => rows.filter(({ name }) => name === wanted)
    t.ok(named('ComposableExecuted').length > 0 && named('PaymentPolicyDeleted').length > 0)
    for (const { gateway, name, count } of rows) {
      const query = new URLSearchParams({ gateway, ...(name === null ? {} : { eventName: name }) })
      t.equal((await api.get(`/v1/events/count?${query}`)).body.count, count, String(query))
    }
  })

  t.test('payments without a policy are found by who paid and who was paid', async t => {
    const list = async (query: Record<string, string>) => {
      const path = `/v1/events/payments?${new URLSearchParams({ limit: '1000', ...query })}`
      return (await api.get(path)).body as { id: string; payer: string | null; recipient: string | null }[]
    }
    const all = await list({ paymentPolicy: DIRECT_TRANSFER_POLICY })
    for (const [field, parameter] of [
      ['payer', 'directPayer'],
      ['recipient', 'directRecipient'],
    ] as const) {
      // Payments of the program's first versions name neither.
      const keys = [...new Set(all.map(payment => payment[field]))].filter(key => key !== null)
      t.ok(keys.length > 1, `${keys.length} keys`)
      for (const key of keys)
        t.strictSame(
          (await list({ [parameter]: key })).map(({ id }) => id),
          all.filter(payment => payment[field] === key).map(({ id }) => id),
          `${parameter}=${key}`,
        )
    }
    const { payer, recipient } = all.find(payment => payment.payer !== null && payment.recipient !== null)!
    const both = await list({ directPayer: payer!, directRecipient: recipient! })
    t.ok(both.length > 0, 'both together')
    t.strictSame(await list({ directPayer: DIRECT_TRANSFER_POLICY }), [])
  })
})
