// The whole way: programs run in a virtual machine, a node tells of them, `npm start` follows the node, and payments come
// out of REST, of a socket and of a webhook. Honest programs and hostile ones.
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import {
  emitEvent,
  openSimulatedNode,
  SimulatedChain,
  type ExecuteOptions,
  type PuppetCall,
  type Step,
} from '@payment-tracking/simulator'
import { createWebhook, listGaps, openStore } from '@payment-tracking/store'
import { buildAddress, buildChain, openReceiver, startStack, waitFor } from '@payment-tracking/testkit'
import { io } from 'socket.io-client'
import t from 'tap'

t.setTimeout(240_000)

const PROGRAM = DEFAULT_PROGRAM_ID
const STRANGER = 'Stranger11111111111111111111111111111111111'
const DIRECT = '11111111111111111111111111111111'
const MINT = buildAddress('mint')

const chain = new SimulatedChain({ programs: [PROGRAM, STRANGER] })
const node = await openSimulatedNode(chain)
t.teardown(() => node.close())
const market = buildChain({ seed: 'market', programId: PROGRAM })
const gateway = await market.openGateway('Hostile Market')

const payment = (trackingId: string, recordId: number, more: Record<string, unknown> = {}): PuppetCall =>
  emitEvent(PROGRAM, 'PaymentRecord', {
    payment_policy: buildAddress(`policy of ${trackingId}`),
    gateway: gateway.address,
    amount: '18446744073709551615',
    timestamp: '1780000000',
    memo: [...Buffer.from(trackingId.padEnd(64, '\0'))],
    record_id: recordId,
    payer: buildAddress('payer'),
    recipient: buildAddress('recipient'),
    token_mint: MINT,
    ...more,
  })
const steps = (call: PuppetCall, ...list: Step[]): PuppetCall => ({ ...call, steps: list })
const logOf = (call: PuppetCall): Step => call.steps[0]!
const bytesOf = (call: PuppetCall): Uint8Array => (call.steps[0] as { log: Uint8Array }).log
const stranger = (...list: Step[]): PuppetCall => ({
  program: STRANGER,
  discriminator: Buffer.alloc(8, 9),
  steps: list,
})
const forged = (id: string) => logOf(payment(id, 99))
const referral = emitEvent(PROGRAM, 'ReferralRewardDistributedRecord', {
  payment_policy: buildAddress('policy'),
  gateway: gateway.address,
  payment_amount: '5',
  timestamp: '1780000000',
  rewards: [{ pubkey: buildAddress('referrer'), reward: '1' }, null, null],
})
const dataLine = (id: string) => `Program data: ${Buffer.from(bytesOf(payment(id, 99))).toString('base64')}`

interface Case {
  /** also the tracking ID of its payments, honest and forged */
  id: string
  calls: PuppetCall[]
  options?: ExecuteOptions
  /** payments of the tracking ID that must come out */
  payments: number
  /** events of the transaction, default as many as payments */
  events?: number
  gap?: RegExp
}

const p = payment
const CASES: Case[] = [
  { id: 'one', calls: [p('one', 1)], payments: 1 },
  {
    id: 'referral',
    calls: [steps(p('referral', 1), logOf(referral), logOf(p('referral', 1)))],
    payments: 1,
    events: 2,
  },
  { id: 'deep', calls: [stranger({ call: p('deep', 1) })], payments: 1 },
  { id: 'two', calls: [p('two', 1), p('two', 2)], payments: 2 },
  {
    id: 'basket',
    calls: [1, 2].map(() => p('basket', 0, { payment_policy: DIRECT })),
    payments: 2,
  },
  {
    id: 'forged-around',
    calls: [
      stranger(forged('forged-around')),
      steps(p('forged-around', 1), { call: stranger(forged('forged-around')) }, logOf(p('forged-around', 1))),
      stranger(forged('forged-around')),
    ],
    payments: 1,
  },
  {
    id: 'forged-alone',
    calls: [stranger(forged('forged-alone'))],
    options: { mentions: [PROGRAM] },
    payments: 0,
  },
  {
    id: 'imitated',
    calls: [
      steps(
        p('imitated', 1),
        { text: dataLine('imitated') },
        { text: `\nProgram ${PROGRAM} invoke [2]\n${dataLine('imitated')}\nProgram ${PROGRAM} success` },
        logOf(p('imitated', 1)),
      ),
    ],
    payments: 1,
  },
  {
    id: 'failed',
    calls: [steps(p('failed', 1), logOf(p('failed', 1)), { fail: true })],
    payments: 0,
  },
  {
    id: 'spam',
    calls: [
      p('spam', 1),
      stranger({ spam: 9_700 }, { spam: 900 }),
      emitEvent(PROGRAM, 'PaymentPolicyDeleted', {
        payment_policy: buildAddress('hidden'),
        owner: buildAddress('owner'),
        policy_id: 1,
      }),
    ],
    payments: 1,
    gap: /LOG_TRUNCATED/,
  },
  ...(
    [
      ['slices', { logTwice: Buffer.from('two') }, /NOT_ONE_SLICE/],
      ['empty', { log: Buffer.alloc(0) }, /EMPTY/],
      ['long', { log: Buffer.concat([bytesOf(p('long', 1)), Buffer.of(0)]) }, /UNKNOWN_LAYOUT/],
      ['unknown', { log: Buffer.alloc(30, 7) }, /UNKNOWN_EVENT/],
    ] as const
  ).map(([id, step, gap]) => ({
    id,
    calls: [steps(p(id, 1), step, logOf(p(id, 1)))],
    payments: 1,
    gap,
  })),
  { id: 'silent', calls: [steps(p('silent', 1))], payments: 0, gap: /EVENT_MISSING/ },
  ...(['legacy', 0, 1] as const).map(version => ({
    id: `version-${version}`,
    calls: [stranger({ call: p(`version-${version}`, 1) })],
    options: { version },
    payments: 1,
  })),
]

t.test('every honest payment comes out three ways, and nothing else does', async t => {
  const stack = await startStack(t, {
    SOLANA_RPC_URLS: node.url,
    INDEXER_COMMITMENT: 'confirmed',
    INDEXER_POLL_MS: '100',
    RATE_LIMIT_MAX: '100000',
    MAX_CONNECTIONS_PER_ADDRESS: '1000',
  })
  const { baseUrl, databaseUrl } = stack.describe()
  t.match(stack.output(), 'followed by the indexer')
  // oxlint-disable-next-line typescript/no-explicit-any
  const get = async (path: string): Promise<any> => (await fetch(`${baseUrl}${path}`)).json()
  const eventsOf = async (signature: string) =>
    (await get(`/v1/events?signature=${signature}&limit=10`)) as { event_name: string; retracted?: boolean }[]

  const store = openStore({ DATABASE_URL: databaseUrl, poolSize: 1 })
  t.teardown(() => store.close())
  const receiver = await openReceiver(t)
  const eventTypes = ['payment.executed', 'payment.retracted']
  const webhook = { gateway: gateway.address, endpointUrl: receiver.url, active: true, eventTypes }
  await createWebhook(store, webhook as Parameters<typeof createWebhook>[1])
  const socket = io(baseUrl, { path: '/ws/v1', transports: ['websocket'] })
  t.teardown(() => void socket.close())
  const pushed: { type: string; trackingId: string; signature: string }[] = []
  for (const type of ['payment', 'retraction'])
    socket.on(type, ({ data }: { data: { trackingId: string; signature: string } }) =>
      pushed.push({ type, ...data }),
    )
  for (const id of [...CASES.map(({ id }) => id), 'lost', 'sentinel'])
    t.match(await socket.timeout(5_000).emitWithAck('subscribe', { trackingId: id }), { ok: true })
  const deliveredOf = (signature: string, type: string) =>
    receiver.requests
      .map(({ body }) => JSON.parse(body) as { type: string; data: { signature: string } })
      .filter(each => each.type === type && each.data.signature === signature).length
  const pushedOf = (signature: string, type: string) =>
    pushed.filter(each => each.type === type && each.signature === signature).length

  chain.execute([emitEvent(PROGRAM, 'PaymentGatewayCreated', gateway.created.data)])
  const ran = CASES.map(({ calls, options, ...expected }) => {
    chain.advance()
    return { ...expected, signature: chain.execute(calls, options).signature }
  })
  // A block with many transactions that only mention the program.
  const mention = chain.run([stranger({ text: 'hello' })], { mentions: [PROGRAM] })
  for (let at = 0; at < 50; at++) chain.add({ ...mention, signature: chain.run([]).signature })
  chain.advance()
  const sentinel = chain.execute([p('sentinel', 1)])
  chain.finalize()
  await waitFor(() => deliveredOf(sentinel.signature, 'payment.executed') > 0, {
    what: 'the last webhook',
    timeoutMs: 30_000,
  })
  await waitFor(() => pushedOf(sentinel.signature, 'payment') > 0, { what: 'the last push' })

  await t.test('case by case', async t => {
    for (const { id, signature, payments, events = payments, gap } of ran) {
      await waitFor(() => deliveredOf(signature, 'payment.executed') >= payments, {
        what: `webhooks of ${id}`,
      })
      t.equal(deliveredOf(signature, 'payment.executed'), payments, `${id}: webhooks`)
      t.equal(pushedOf(signature, 'payment'), payments, `${id}: pushes`)
      t.equal((await eventsOf(signature)).length, events, `${id}: rows`)
      const gaps = (await listGaps(store, { openOnly: false, limit: 100 })).filter(
        each => each.signature === signature,
      )
      t.match(gaps.map(({ reason }) => reason).join(), gap ?? /^$/, `${id}: gaps`)
    }
  })

  await t.test('a payment of a lost fork is retracted in all three', async () => {
    chain.advance()
    const { signature } = chain.execute([p('lost', 1)])
    const slot = chain.tip
    chain.advance(2)
    await waitFor(() => pushedOf(signature, 'payment') > 0, { what: 'the early push' })
    await waitFor(() => deliveredOf(signature, 'payment.executed') > 0, { what: 'the early webhook' })
    chain.dropBlock(slot)
    chain.finalize()
    await waitFor(() => pushedOf(signature, 'retraction') > 0, { what: 'the retraction' })
    await waitFor(() => deliveredOf(signature, 'payment.retracted') > 0, {
      what: 'the retraction by webhook',
    })
    await waitFor(async () => (await eventsOf(signature)).length === 0, { what: 'the row to leave' })
  })

  await t.test('REST says that the rest is final', async t => {
    const [first] = ran
    await waitFor(
      async () => (await get(`/v1/events?signature=${first!.signature}`))[0]?.finality === 'finalized',
      { what: 'finality' },
    )
    const { data } = await get('/v1/onetime/one')
    t.match(data, { finality: 'finalized', amountString: '18446744073709551615' })
  })
  t.equal(await stack.stop(), 0)
})
