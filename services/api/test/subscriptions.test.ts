import t from 'tap'
import { openApi } from './open-api.js'

const { get, database } = await openApi(t, { RATE_LIMIT_MAX: '100000' })
const KEY = '7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz'
const MINT = '51jNNPW7SAsc8bLWQxRWrbiq2ytdMuXdF4WzM4rCCSGz'
const PAIR = 'If you provide either walletPublicKey or tokenMint, you have to provide both!'
const NONE =
  'Must specify one of trackingId, userPublicKey, gatewayPublicKey, recipient, or (walletPublicKey & tokenMint)!'
const MANY = 'Too many filters specified. Up to 3 query args allowed.'

t.test('the rules of the lookup are checked in order, with their exact words', async t => {
  for (const [query, sentence] of [
    ['', NONE],
    ['?trackingId=', NONE],
    ['?foo=bar', NONE],
    ['?cursor=abc', NONE],
    [`?walletPublicKey=${KEY}`, PAIR],
    [`?tokenMint=${MINT}&recipient=${KEY}`, PAIR],
    [`?walletPublicKey=${KEY}&trackingId=x`, PAIR],
    [`?walletPublicKey=no&a=1&b=2&c=3&d=4`, PAIR],
    [`?walletPublicKey=${KEY}&tokenMint=`, PAIR],
    [`?tokenMint=${MINT}&trackingId=x`, PAIR],
    [`?trackingId=x&userPublicKey=no&gatewayPublicKey=no&recipient=no`, MANY],
    [`?trackingId=x&recipient=&a=&b=`, MANY],
    ['?trackingId=x&trackingId=y&trackingId=z&trackingId=', MANY],
    ['?trackingId=x&cursor=abc&a=1&b=2', MANY],
    [`?trackingId=y&cursor=abc.${Buffer.from('trackingId=x').toString('base64url')}&a=1&b=2`, MANY],
    [`?cursor=abc.${Buffer.from('walletPublicKey=x').toString('base64url')}`, PAIR],
  ] as const) {
    const answer = await get(`/v1/subscriptions${query}`)
    t.equal(answer.status, 400, query)
    t.equal(answer.body.error, sentence, query)
  }
})

t.test('all other errors are named', async t => {
  for (const [query, parameter] of [
    ['?trackingId=x&trackingId=y', 'trackingId'],
    [`?trackingId=${'x'.repeat(65)}`, 'trackingId'],
    ['?trackingId=%00', 'trackingId'],
    ['?trackingId=%ff', 'trackingId'],
    ['?recipient=0OIl', 'recipient'],
    [`?trackingId=x&recipient=`, 'recipient'],
    ['?trackingId=x&trackingId=', 'trackingId'],
    ['?trackingId=x&cursor=no!', 'cursor'],
    ['?trackingId=x&cursor=bm8', 'cursor'],
  ] as const) {
    const answer = await get(`/v1/subscriptions${query}`)
    t.equal(answer.status, 400, query)
    t.equal(answer.body.code, 'INVALID_PARAMETER', query)
    t.match(answer.body.error, new RegExp(`^Parameter ${parameter} `), query)
  }
})

t.test('a cursor offers the next page, newest first, each policy once', async t => {
  await database.pool.query(
    `insert into policies (address, user_payment, incarnation_start, gateway, recipient, policy_id, policy_type, created_at,
       live, status, updated_at)
     select substr('${KEY}', 1, 40) || translate(lpad(n::text, 4, '0'), '0', 'A'), '${KEY}', '1', '${KEY}', '${MINT}', n,
            '{"Subscription":{"amount":18446744073709551615,"auto_renew":true,"max_renewals":null,"payment_frequency":{"Daily":null},"next_payment_due":5}}', 1700000000 + n / 3, n <> 500, 'active', 9223372036854775807
       from generate_series(1, 1102) n`,
  )
  const seen: { policyAddress: string; createdAt: number }[] = []
  // Three filters: with a cursor, the request would have four parameters.
  let url: string | undefined =
    `/v1/subscriptions?gatewayPublicKey=${KEY}&recipient=${MINT}&userPublicKey=${KEY}`
  while (url !== undefined) {
    const { status, body, headers, text } = await get(url)
    t.equal(status, 200)
    t.match(text, '"amount":18446744073709551615')
    t.match(text, '"updatedAt":9223372036854775807')
    seen.push(...body.data)
    url = /^<(.*)>; rel="next"$/.exec(headers.link ?? '')?.[1]
  }
  t.equal(seen.length, 1101, 'a policy that is no more is not listed')
  t.equal(new Set(seen.map(({ policyAddress }) => policyAddress)).size, 1101)
  const order = [...seen].sort(
    (a, b) => b.createdAt - a.createdAt || (a.policyAddress < b.policyAddress ? 1 : -1),
  )
  t.strictSame(seen, order)
})
