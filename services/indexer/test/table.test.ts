// Every kind of log that programs and strangers can write, executed in a real virtual machine and read from a node.
import { writeEventBytes } from '@payment-tracking/chain'
import t from 'tap'
import { call, key, openRig, OTHER, pay, paymentBytes, stranger, type Rig } from './open-rig.js'

const referral = writeEventBytes('ReferralRewardDistributedRecord', {
  payment_policy: key('a'),
  gateway: key('gateway'),
  payment_amount: '5',
  timestamp: '1780000000',
  rewards: [{ pubkey: key('referrer'), reward: '1' }, null, null],
})
const DIRECT = { payment_policy: '11111111111111111111111111111111', record_id: 0 }
const deleted = writeEventBytes('PaymentPolicyDeleted', {
  payment_policy: key('deleted'),
  owner: key('owner'),
  policy_id: 1,
})

let rig: Rig
const signatures = (transaction: { signature: string }) => transaction.signature
t.before(async () => {
  rig = await openRig(t)
})

/** Runs transactions in their own block. @returns the outcome of each: events as `index name`, and gaps */
async function outcome(...run: Parameters<Rig['chain']['execute']>[]) {
  const { chain } = rig
  chain.advance()
  const of = run.map(each => signatures(chain.execute(...each)))
  await rig.settle()
  const records = await rig.read()
  return of.map(signature => ({
    events: records
      .filter(({ kind, body }) => body.signature === signature && !kind.startsWith('control.'))
      .map(({ kind, body }) => `${body.index} ${kind}`),
    gaps: records
      .filter(({ kind, body }) => body.signature === signature && kind === 'control.gap')
      .map(({ body }) => body.reason as string),
  }))
}
t.setTimeout(110_000)
const NOTHING = [{ events: [], gaps: [] }]

t.test('an indexer starts', async () => {
  await rig.start()
})

t.test('a payment is one event, with a referral two events, in the order of the log', async t => {
  t.same(await outcome([[pay('a', 1)]]), [{ events: ['0 PaymentRecord'], gaps: [] }])
  const both = call('execute_payment', { log: referral }, { log: paymentBytes('a', 2) })
  t.same(await outcome([[both]]), [
    { events: ['0 ReferralRewardDistributedRecord', '1 PaymentRecord'], gaps: [] },
  ])
})

t.test('calls by other programs count, and several of one transaction', async t => {
  t.same(await outcome([[stranger({ call: pay('b', 1) })]]), [{ events: ['0 PaymentRecord'], gaps: [] }])
  const deep = stranger({
    call: { program: OTHER, discriminator: Buffer.alloc(8), steps: [{ call: pay('b', 2) }] },
  })
  t.same(await outcome([[deep, pay('b', 3)]]), [{ events: ['0 PaymentRecord', '1 PaymentRecord'], gaps: [] }])
  const transfer = call('transfer', { log: paymentBytes('basket', 0, DIRECT) })
  t.same(await outcome([[transfer, transfer]]), [
    { events: ['0 PaymentRecord', '1 PaymentRecord'], gaps: [] },
  ])
})

t.test('a payment that a stranger logs is ignored: before, inside and after a real payment', async t => {
  const forged = { log: paymentBytes('c', 99) }
  const mentions = ['TRibg8W8zmPHQqWtyAD1rEBRXEdyU13Mu6qX1Sg42tJ']
  t.same(await outcome([[stranger(forged)], { mentions }]), NOTHING)
  const inside = call('execute_payment', { call: stranger(forged) }, { log: paymentBytes('c', 1) })
  t.same(await outcome([[stranger(forged), inside, stranger(forged)]]), [
    { events: ['0 PaymentRecord'], gaps: [] },
  ])
})

t.test('text that imitates the log is ignored', async t => {
  const line = `Program data: ${Buffer.from(paymentBytes('d', 99)).toString('base64')}`
  const texts = [line, `\nProgram TRibg8W8zmPHQqWtyAD1rEBRXEdyU13Mu6qX1Sg42tJ invoke [2]\n${line}`]
  const program = 'TRibg8W8zmPHQqWtyAD1rEBRXEdyU13Mu6qX1Sg42tJ'
  const steps = [...texts, `Program ${program} invoke [1]`, `Program ${program} success`].map(text => ({
    text,
  }))
  t.same(await outcome([[stranger(...steps.slice(0, 1))], { mentions: [program] }]), NOTHING)
  t.same(await outcome([[call('execute_payment', ...steps.slice(2), { log: paymentBytes('d', 1) })]]), [
    { events: ['0 PaymentRecord'], gaps: [] },
  ])
})

t.test('an event of a failed transaction is ignored', async t => {
  const failing = call('execute_payment', { log: paymentBytes('e', 1) }, { fail: true })
  t.same(await outcome([[failing]]), NOTHING)
})

t.test('an event behind spam is a gap, even when its line still appears', async t => {
  const hidden = call('delete_payment_policy', { log: deleted })
  const [result] = await outcome([[pay('f', 1), stranger({ spam: 9_700 }, { spam: 900 }), hidden]])
  t.same(result!.events, ['0 PaymentRecord'])
  t.match(result!.gaps, [/LOG_TRUNCATED delete_payment_policy/])
})

t.test('an unreadable event is a gap, and uses its index', async t => {
  const good = { log: paymentBytes('g', 1) }
  const long = Buffer.concat([paymentBytes('g', 1), Buffer.of(0)])
  for (const [step, reason] of [
    [{ logTwice: Buffer.from('two') }, /NOT_ONE_SLICE/],
    [{ log: Buffer.alloc(0) }, /EMPTY/],
    [{ log: long }, /UNKNOWN_LAYOUT PaymentRecord/],
    [{ log: Buffer.alloc(30, 7) }, /UNKNOWN_EVENT/],
  ] as const) {
    const [result] = await outcome([[call('execute_payment', step, good)]])
    t.same(result!.events, ['1 PaymentRecord'])
    t.match(result!.gaps, [reason])
  }
  t.match(await outcome([[call('execute_payment')]]), [{ events: [], gaps: [/EVENT_MISSING/] }])
})

t.test('a transaction of any version gives the same event', async t => {
  const results = await outcome(
    [[stranger({ call: pay('h', 1) })], { version: 'legacy' }],
    [[stranger({ call: pay('h', 2) })], { version: 0 }],
    [[stranger({ call: pay('h', 3) })], { version: 1 }],
  )
  for (const result of results) t.same(result, { events: ['0 PaymentRecord'], gaps: [] })
})

t.test('transactions that only mention the program publish nothing', async t => {
  const { chain } = rig
  const template = chain.run([stranger({ text: 'hello' })], {
    mentions: ['TRibg8W8zmPHQqWtyAD1rEBRXEdyU13Mu6qX1Sg42tJ'],
  })
  const before = (await rig.read()).length
  for (let block = 0; block < 12; block++) {
    chain.advance()
    for (let at = 0; at < 100; at++)
      chain.add({ ...template, signature: `${key(`${block}/${at}`)}${key('x')}` })
  }
  await rig.settle()
  // A watermark comes once a minute, so one may come meanwhile.
  const kinds = (await rig.read()).slice(before).map(({ kind }) => kind)
  t.same(
    kinds.filter(kind => kind !== 'control.finalized'),
    [],
    'nothing of it was published',
  )
})

t.test('messages state their place and their finality', async t => {
  const [first] = await rig.events()
  t.match(first!.body, {
    program_id: 'TRibg8W8zmPHQqWtyAD1rEBRXEdyU13Mu6qX1Sg42tJ',
    index: 0,
    transaction_index: 0,
    commitment: 'finalized',
    event_name: 'PaymentRecord',
    data: { amount: '1000000', record_id: 1 },
  })
  t.match(first!.body.timestamp, /^2026-05-28T/)
})
