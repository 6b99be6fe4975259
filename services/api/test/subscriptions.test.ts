import t from 'tap'
import { openApi } from './open-api.js'

const KEY = '7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz'
const MINT = '51jNNPW7SAsc8bLWQxRWrbiq2ytdMuXdF4WzM4rCCSGz'
const PAIR = 'If you provide either walletPublicKey or tokenMint, you have to provide both!'
const NONE =
  'Must specify one of trackingId, userPublicKey, gatewayPublicKey, recipient, or (walletPublicKey & tokenMint)!'
const MANY = 'Too many filters specified. Up to 3 query args allowed.'

t.test('the rules of the lookup are checked in their order, with their exact words', async t => {
  const { get } = await openApi(t)
  for (const [query, sentence] of [
    ['', NONE],
    ['?trackingId=', NONE],
    ['?foo=bar', NONE],
    ['?cursor=abc', NONE],
    [`?walletPublicKey=${KEY}`, PAIR],
    [`?tokenMint=${MINT}&trackingId=x`, PAIR],
    [`?walletPublicKey=no&a=1&b=2&c=3&d=4`, PAIR],
    [`?walletPublicKey=${KEY}&tokenMint=`, PAIR],
    [`?trackingId=x&userPublicKey=no&gatewayPublicKey=no&recipient=no`, MANY],
    [`?trackingId=x&recipient=&a=&b=`, MANY],
  ] as const) {
    const answer = await get(`/v1/subscriptions${query}`)
    t.equal(answer.status, 400, query)
    t.equal(answer.body.error, sentence, query)
  }
})

t.test('what else is wrong is named', async t => {
  const { get } = await openApi(t)
  for (const [query, parameter] of [
    ['?trackingId=x&foo=1', 'foo'],
    ['?trackingId=x&trackingId=y', 'trackingId'],
    [`?trackingId=${'x'.repeat(65)}`, 'trackingId'],
    ['?trackingId=%00', 'trackingId'],
    ['?trackingId=%ff', 'trackingId'],
    ['?recipient=0OIl', 'recipient'],
    ['?trackingId=x&cursor=no!', 'cursor'],
    ['?trackingId=x&cursor=bm8', 'cursor'],
    ['?TrackingId=x&trackingId=x', 'TrackingId'],
  ] as const) {
    const answer = await get(`/v1/subscriptions${query}`)
    t.equal(answer.status, 400, query)
    t.equal(answer.body.code, 'INVALID_PARAMETER', query)
    t.match(answer.body.error, new RegExp(`^Parameter ${parameter} `), query)
  }
})

t.test('nothing found is an empty list', async t => {
  const { get } = await openApi(t)
  for (const query of [
    'trackingId=nothing',
    `walletPublicKey=${KEY}&tokenMint=${MINT}`,
    `userPublicKey=${KEY}`,
    `recipient=${KEY}&gatewayPublicKey=${KEY}&trackingId=`,
  ]) {
    const { status, body } = await get(`/v1/subscriptions?${query}`)
    t.equal(status, 200, query)
    t.match(body, { success: true, data: [], timestamp: Number })
  }
})
