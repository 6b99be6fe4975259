// What the pages compute by themselves: amounts, times, due dates, and whether all is well.
import { nextPaymentDue } from '@payment-tracking/domain'
import fc from 'fast-check'
import t from 'tap'
import { withGaps } from '../src/site/charts/with-gaps.js'
import { acceptedWords, failureOf, reasonWords } from '../src/site/gateway/endpoint-words.js'
import { spanBefore } from '../src/site/gateway/span-before.js'
import { changeOf } from '../src/site/overview/change.js'
import { lateOf } from '../src/site/show/late.js'
import { judge, type Facts } from '../src/site/overview/judge.js'
import { readName } from '../src/site/session/read-name.js'
import { formatAmount, parseAmount } from '../src/site/show/format-amount.js'
import { formatDuration, relativeTime } from '../src/site/show/format-time.js'
import { dueDatesUntil } from '../src/site/subscriptions/due-dates.js'

const REFUSED = {
  at: '2026-11-23T12:00:00Z',
  accepted: false,
  answer: 'HTTP 500',
  deliveryId: 12,
  body: 'no',
}

t.test('amounts keep every digit', async t => {
  for (const [raw, decimals, shown] of [
    ['5000000', 6, '5.00'],
    ['1234567', 6, '1.234567'],
    ['1', 6, '0.000001'],
    ['0', 9, '0.00'],
    ['18446744073709551615', 6, '18,446,744,073,709.551615'],
    ['1234567', 0, '1,234,567'],
    ['-1500000', 6, '-1.50'],
  ] as const)
    t.equal(formatAmount(raw, decimals), shown)
})

t.test('due dates follow the rule of the service', async t => {
  const names = ['Daily', 'Weekly', 'Monthly', 'Quarterly', 'SemiAnnually', 'Annually', 'Custom'] as const
  fc.assert(
    fc.property(
      fc.constantFrom(...names),
      fc.integer({ min: 1_500_000_000, max: 1_900_000_000 }),
      fc.integer({ min: 3_600, max: 10_000_000 }),
      (name, first, seconds) => {
        const frequency = name === 'Custom' ? { Custom: seconds } : { [name]: null }
        const dates = dueDatesUntil(first, frequency, first + 5 * 366 * 86_400)
        const expected = [BigInt(first)]
        while (expected.length < dates.length) {
          const terms = { name, ...(name === 'Custom' ? { seconds: BigInt(seconds) } : {}) }
          expected.push(
            nextPaymentDue({ createdDue: BigInt(first), frequency: terms, lastPaidAt: expected.at(-1)! })!,
          )
        }
        return dates.length > 1 && dates.every((date, index) => BigInt(date) === expected[index])
      },
    ),
    { numRuns: 60 },
  )
  t.same(dueDatesUntil(1, { Daily: null }, 1e9, 2).length, 2, 'no more than are left')
  t.same(dueDatesUntil(1, { Custom: 0 }, 1e9), [1], 'an interval of nothing ends')
})

t.test('an endpoint is said by its record, and a delivery by why it failed or waits', async t => {
  t.equal(acceptedWords(999, 1_000), '99.9 % of 1,000 requests')
  t.equal(acceptedWords(2_999, 3_000), '99.9 % of 3,000 requests', 'rounded down')
  t.equal(acceptedWords(0, 1), '0.0 % of 1 request')
  t.equal(acceptedWords(0, 0), 'no request')
  t.equal(failureOf({ lastAnswer: REFUSED }), 'HTTP 500')
  t.equal(failureOf({ lastAnswer: { ...REFUSED, accepted: true } }), null)
  t.equal(failureOf({ lastAnswer: null }), null)
  for (const [lastError, heldReason, failure, words] of [
    ['timeout', null, 'HTTP 500', 'timeout'],
    ['timeout', 'breaker open', 'HTTP 500', 'timeout; waits after failures'],
    [null, 'breaker open', 'HTTP 500', 'HTTP 500; waits after failures'],
    [null, 'breaker open', null, 'waits after failures'],
    [null, 'rate cap', 'HTTP 500', 'rate cap'],
    [null, null, 'HTTP 500', ''],
  ] as const)
    t.equal(reasonWords({ lastError, heldReason }, failure), words)
})

t.test('the span before begins with a day of UTC, as long as the one that is shown', async t => {
  const day = 86_400_000
  const shown = { startTime: '2026-11-01T00:00:00.000Z', endTime: '2026-11-30T09:30:00.000Z' }
  const { days, start, end } = spanBefore(shown)
  t.equal(days, 30)
  t.equal(new Date(start).toISOString(), '2026-10-02T00:00:00.000Z')
  t.equal(end - start, Date.parse(shown.endTime) - Date.parse(shown.startTime))
  t.ok(end <= Date.parse(shown.startTime), 'nothing counts twice')
  t.equal(spanBefore({ ...shown, endTime: '2026-12-01T00:00:00.000Z' }).end % day, 0)
})

t.test('times say how long', async t => {
  const now = Date.parse('2026-11-23T12:00:00Z')
  for (const [ms, text] of [
    [0, 'just now'],
    [12_000, '12 s ago'],
    [-61_000, 'in 1 min'],
    [3_600_000, '1 h ago'],
    [86_400_000, '1 day ago'],
    [-172_800_000, 'in 2 days'],
  ] as const)
    t.equal(relativeTime(now - ms, now), text)
  t.match(relativeTime(now - 40 * 86_400_000, now), '2026', 'a date beyond a month')
  for (const [ms, text] of [
    [14, '14 ms'],
    [-3, '−3 ms'],
    [1_240, '1.2 s'],
    [42_400, '42 s'],
    [185_000, '3 min 5 s'],
    [7_200_000, '2 h'],
    [93_600_000, '1 d 2 h'],
  ] as const)
    t.equal(formatDuration(ms), text)
})

t.test('amounts are read as people write them, or not at all', async t => {
  for (const [text, decimals, units] of [
    ['1,234.5', 6, '1234500000'],
    ['0.000001', 6, '1'],
    ['7', 0, '7'],
    ['18446744073709.551615', 6, '18446744073709551615'],
    ['18446744073709.551616', 6, null],
    ['0.0000001', 6, null],
    ['1.', 2, '100'],
    ['-1', 2, null],
    ['1e3', 2, null],
    ['', 2, null],
    ['12,50', 6, '12500000'],
    ['12,5', 6, '12500000'],
    ['0,123', 6, '123000'],
    ['1.234,5', 6, '1234500000'],
    ['1.234.567,89', 2, '123456789'],
    ['1,234,567.89', 2, '123456789'],
    ['1\u202f234,50', 2, '123450'],
    ["1'234.50", 2, '123450'],
    ['1,234', 2, '123400'],
    ['1.234', 3, '1234'],
    ['1.234.567', 0, '1234567'],
    ['1,23,456', 2, null],
    ['1,234,56', 2, null],
    ['1.234,567.8', 3, null],
    ['12 50', 2, null],
    ['12,50,', 2, null],
    [',', 2, null],
  ] as const)
    t.equal(parseAmount(text, decimals), units, text)
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
      fc.constantFrom(0, 2, 6, 9),
      (raw, decimals) => parseAmount(formatAmount(raw, decimals), decimals) === String(raw),
    ),
  )
})

t.test('foreign names and memos show what they hold', async t => {
  t.equal(readName([...Buffer.from('Caf\u00e9'), 0, 0]), 'Caf\u00e9')
  t.equal(readName([0, 0]), null)
  t.equal(readName([255, 254]), null)
  t.equal(readName('text'), null)
  t.equal(readName([...Buffer.from('a\u202eb\u00ad')]), 'a\\u{202e}b\\u{ad}')
})

const WELL: Facts = {
  answers: true,
  isOwnRead: true,
  late: { isKnown: true, paymentsSince: null, deliveriesSince: null },
  live: 'open',
  paymentsOfDay: 3,
  hasPayments: true,
  followsChain: true,
  announcedP50: 100,
  endpoints: [],
  overdue: 0,
  atRisk: { count: 0, isAtLeast: false },
  underpaid: { count: 0, isAtLeast: false },
}
const FAILING = {
  id: 7,
  active: true,
  health: 'failing' as const,
  deactivatedReason: null,
  lastAnswer: REFUSED,
}

t.test('all is well until something is not', async t => {
  const [well, failing] = [WELL, FAILING]
  const healthy = { ...failing, health: 'healthy' as const }
  const chosen = { ...failing, active: false, health: 'off' as const }
  const stopped = { ...chosen, deactivatedReason: 'gone' }
  t.match(judge(well), {
    tone: 'good',
    detail:
      'Payments arrive, no endpoint is registered, nothing is overdue, nothing due within 2 days is known to be at risk.',
    findings: [],
  })
  t.match(
    judge({ ...well, endpoints: null, overdue: null, atRisk: null, underpaid: null, live: 'connecting' }),
    {
      tone: 'good',
      detail: 'Payments arrive.',
    },
  )
  t.match(judge({ ...well, answers: false }), { tone: 'bad' })
  const at = new Date()
  at.setHours(17, 50, 0, 0)
  const [since, clock] = [at.getTime(), /^Payments are delayed since (17:50|0?5:50\sPM)$/]
  const late = (paymentsSince: number | null, deliveriesSince: number | null) =>
    judge({ ...well, late: { isKnown: true, paymentsSince, deliveriesSince } })
  t.match(late(since, null), { tone: 'bad', text: clock })
  t.match(late(null, since), { tone: 'bad', text: /^Deliveries are late since/ })
  t.match(late(since, since), { text: /^Payments are delayed since .*, and deliveries are late$/ })
  t.match(late(null, null), { tone: 'good' })
  t.same(
    lateOf({ payments: 20, deliveries: 21 }, 100_000),
    { isKnown: true, paymentsSince: null, deliveriesSince: 79_000 },
    'what waits for moments is not late',
  )
  const unknownDelay = judge({ ...well, late: lateOf({ payments: null, deliveries: null }, 0) })
  t.match(unknownDelay, { tone: 'wait', findings: [{ text: /^Whether payments are delayed is not known/ }] })
  t.match(judge({ ...well, late: null }), { text: 'Looking …' })
  t.match(judge({ ...well, endpoints: [healthy] }), { tone: 'good' }, 'one failure is no reason')
  t.match(judge({ ...well, endpoints: [failing, healthy] }).findings, [
    { text: '1 endpoint is failing (HTTP 500): see its responses', href: '/endpoints/7' },
  ])
  const silent = { ...failing, id: 8, lastAnswer: { ...REFUSED, answer: 'timeout' } }
  t.match(judge({ ...well, endpoints: [failing, silent] }).findings, [
    { text: '2 endpoints are failing (HTTP 500, timeout): see their responses', href: '/endpoints' },
  ])
  const counted = (count: number, isAtLeast = false) => ({ count, isAtLeast })
  t.same(judge({ ...well, atRisk: counted(1), underpaid: counted(100, true) }).findings, [
    { tone: 'wait', href: '#at-risk', text: '1 payment due within 2 days will fail as things stand' },
    {
      tone: 'wait',
      href: '/expected?state=underpaid',
      text: 'at least 100 expected payments are underpaid',
    },
  ])
  t.match(judge({ ...well, endpoints: [failing, stopped, chosen] }), {
    tone: 'bad',
    text: '2 issues need attention',
    findings: [{ text: /^1 endpoint is failing/ }, { text: /^1 endpoint was deactivated/ }],
  })
  t.match(judge({ ...well, overdue: 2, live: 'lost', announcedP50: 61_000 }), {
    tone: 'wait',
    findings: [{ text: /^2 payments are overdue/ }, { text: /1 min 1 s/ }, { text: /live connection/ }],
  })
})

t.test('nothing is called well that was not seen', async t => {
  const nothing: Facts = {
    ...WELL,
    paymentsOfDay: 0,
    hasPayments: false,
    followsChain: false,
    announcedP50: null,
    endpoints: null,
    overdue: null,
    atRisk: null,
    underpaid: null,
  }
  const said = (changes: Partial<Facts>) => {
    const { tone, text } = judge({ ...nothing, ...changes })
    return { tone, text }
  }
  t.same(said({}), { tone: 'plain', text: 'No payment has arrived yet; no chain is followed' })
  t.match(said({ followsChain: true }), { tone: 'plain', text: /; the chain is followed$/ })
  t.same(said({ hasPayments: true }), { tone: 'plain', text: 'No payment in the last 24 hours' })
  t.match(said({ hasPayments: null }), { tone: 'plain' }, 'what was not read yet')
  t.match(said({ hasPayments: true, paymentsOfDay: 3, isOwnRead: false }), { text: 'Looking …' }, 'endpoints')
  t.match(said({ endpoints: [FAILING] }), { tone: 'bad' })
})

t.test('a figure says how it changed, exactly, or that there is nothing to compare with', async t => {
  t.equal(changeOf(112n, 100n), '12 % more than the day before')
  t.equal(changeOf(999n, 1_000n), '0.1 % less than the day before')
  t.equal(changeOf(3n, 3n), 'the same as the day before')
  t.equal(changeOf(10n ** 24n, 10n ** 20n), '999,900 % more than the day before')
  t.equal(changeOf(7n, 0n), null)
})

t.test('a chart has gaps where nothing is known, and zeros where nothing happened', t => {
  const data = {
    times: [0, 10, 20, 30],
    nameOf: String,
    isByDay: false,
    series: [
      {
        label: 'payments',
        tone: '1' as const,
        kind: 'bars' as const,
        values: [0, 4, 0, 0],
        show: (index: number) => `${index}`,
      },
    ],
  }
  const shown = (since: string | null) => {
    const [{ values, show } = data.series[0]!] = withGaps(data, since).series
    return { values, first: show(0) }
  }
  const at = (seconds: number) => new Date(seconds * 1_000).toISOString()
  t.same(shown(at(15)), { values: [null, 4, 0, 0], first: 'not known' }, 'what began before is known in part')
  t.same(shown(at(30)), { values: [null, 4, null, 0], first: 'not known' }, 'what was paid is known')
  t.same(shown(at(0)), { values: [0, 4, 0, 0], first: '0' })
  t.same(shown(null).values, [null, 4, null, null])
  t.end()
})
