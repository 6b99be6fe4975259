// Each life-cycle event is told once: through killed processes, clocks that differ, messages that come again, and a
// stream that is read again.
import { createHash, randomUUID } from 'node:crypto'
import { DEFAULT_PROGRAM_ID, subjectOf } from '@payment-tracking/contracts'
import { derivePolicy, deriveUserPayment } from '@payment-tracking/domain'
import {
  createDatabase,
  openReceiver,
  startService,
  useNats,
  useRedis,
  waitFor,
  type StartedService,
} from '@payment-tracking/testkit'
import bs58 from 'bs58'
import t from 'tap'

const keyOf = (label: string) => bs58.encode(createHash('sha256').update(label).digest())
const signatureOf = (label: string) => bs58.encode(createHash('sha512').update(label).digest())
const shiftedBy = (seconds: number) =>
  `--import=data:text/javascript,${encodeURIComponent(`const now = Date.now; Date.now = () => now() + ${seconds * 1_000}`)}`

const NOW = Math.floor(Date.now() / 1000)
const DAY = 86_400
const GATEWAY = keyOf('gateway')
const TYPES = ['created', 'paused', 'resumed', 'completed', 'deleted', 'due_soon', 'overdue', 'expired']

interface Message {
  slot: number
  signature: string
  index: number
  event_name: string
  data: Record<string, unknown>
  timestamp: string
}

/** A story for each kind of policy, with the types that its gateway must be told. */
function tellStories(count: number): { early: Message[]; messages: Message[]; expected: string[] } {
  const messages: Message[] = []
  const early: Message[] = []
  const expected: string[] = []
  let said = 0
  const say = (event_name: string, data: Message['data'], at: number) =>
    messages.push({
      slot: 1_000 + said,
      signature: signatureOf(String(said++)),
      index: 0,
      event_name,
      data,
      timestamp: new Date(at * 1000).toISOString(),
    })
  for (let n = 0; n < count; n++) {
    const owner = keyOf(`owner ${n}`)
    const userPayment = deriveUserPayment(DEFAULT_PROGRAM_ID, owner, keyOf('mint'))
    const address = derivePolicy(DEFAULT_PROGRAM_ID, userPayment, 1)
    const kind = ['ended', 'overdue', 'soon', 'expired', 'paid'][n % 5]!
    const tell = (...types: string[]) =>
      expected.push(...types.map(type => `${address} subscription.${type}`))
    const subscription = (due: number, max: number | null) => ({
      Subscription: {
        amount: '5',
        auto_renew: true,
        max_renewals: max,
        payment_frequency: { Daily: null },
        next_payment_due: String(due),
      },
    })
    const types: Record<string, object> = {
      ended: subscription(NOW + 30 * DAY, 2),
      overdue: subscription(NOW - DAY, null),
      soon: subscription(NOW + 2 * DAY, null),
      expired: { OneTime: { amount: '5', due_date: '0', expiry_date: String(NOW - 60) } },
      paid: subscription(NOW - DAY + 600, null),
    }
    say(
      'UserPaymentCreated',
      { owner, token_account: keyOf('account'), token_mint: keyOf('mint') },
      NOW - 10 * DAY,
    )
    say(
      'PaymentPolicyCreated',
      {
        user_payment: userPayment,
        recipient: keyOf('recipient'),
        gateway: GATEWAY,
        policy_id: 1,
        policy_type: types[kind],
        memo: [...Buffer.concat([Buffer.from(`order-${n}`), Buffer.alloc(64)])].slice(0, 64),
      },
      NOW - 10 * DAY,
    )
    tell('created')
    const change = (status: string, at: number) =>
      say(
        'PaymentPolicyStatusChanged',
        { payment_policy: address, old_status: { Active: null }, new_status: { [status]: null } },
        at,
      )
    const pay = (record: number, at: number) =>
      say(
        'PaymentRecord',
        {
          payment_policy: address,
          gateway: GATEWAY,
          amount: '5',
          timestamp: String(at),
          memo: [...Buffer.alloc(64)],
          record_id: record,
        },
        at,
      )
    if (kind === 'ended') {
      change('Paused', NOW - 8 * DAY)
      change('Active', NOW - 7 * DAY)
      pay(1, NOW - 6 * DAY)
      pay(2, NOW - 5 * DAY)
      say('PaymentPolicyDeleted', { payment_policy: address, owner, policy_id: 1 }, NOW - 4 * DAY)
      tell('paused', 'resumed', 'completed', 'deleted')
    }
    // Its due date passed, and its payment is stored before it: `overdue` must not be told. The next date is near.
    if (kind === 'paid') {
      pay(1, NOW - 60)
      early.push(messages.pop()!)
      tell('due_soon')
    }
    if (kind === 'overdue') tell('overdue')
    if (kind === 'soon') tell('due_soon')
    if (kind === 'expired') tell('expired')
  }
  return { early, messages, expected: expected.sort() }
}

t.test('each life-cycle event is told once, whatever dies', { timeout: 180_000 }, async t => {
  const database = await createDatabase(t)
  const [redis, nats, receiver] = [await useRedis(t), await useNats(t), await openReceiver(t)]
  const env = {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    NATS_URL: nats.url,
    STREAM_NAME: nats.stream,
    SUBJECT_PREFIX: nats.subjectPrefix,
    ENVIRONMENT: `once-${randomUUID().slice(0, 8)}`,
    WEBHOOK_ALLOW_PRIVATE_TARGETS: 'on',
    'webhook-worker.overdueMs': '500',
    'webhook-worker.dueCheckEveryMs': '100',
    WEBHOOK_TIMEOUT_MS: '1000',
    'webhook-worker.claimMarginMs': '500',
    'ingest.sweepEveryMs': '300',
    'ingest.ackWaitMs': '1000',
  }
  let ingest = await startService(t, 'ingest', env)
  const startWorker = (skew: number) =>
    startService(t, 'webhook-worker', { ...env, NODE_OPTIONS: shiftedBy(skew) })
  const workers: StartedService[] = await Promise.all([startWorker(4), startWorker(-4)])
  await database.pool.query(
    `insert into webhooks (gateway, endpoint_url, secret, event_types) values ($1, $2, $3, $4)`,
    [
      ...[GATEWAY, receiver.url, `whsec_${Buffer.alloc(32, 7).toString('base64')}`],
      TYPES.map(type => `subscription.${type}`),
    ],
  )
  const { early, messages, expected } = tellStories(40)
  const publish = (chosen: readonly Message[]) =>
    Promise.all(
      chosen.map(message =>
        nats.jetstream.publish(subjectOf(nats.subjectPrefix, message.event_name), JSON.stringify(message)),
      ),
    )
  const restart = async (index: number) => {
    await Promise.all([ingest.stop('SIGKILL'), workers[index]!.stop('SIGKILL')])
    ;[ingest, workers[index]] = await Promise.all([
      startService(t, 'ingest', env),
      startWorker(index * 4 - 2),
    ])
  }
  await publish(early)
  const stored = async () =>
    Number((await database.pool.query<{ count: string }>('select count(*) from events')).rows[0]!.count)
  await waitFor(async () => (await stored()) === early.length, { what: 'the early payments' })
  const parts = 4
  for (let part = 0; part < parts; part++) {
    const chosen = messages.slice((part * messages.length) / parts, ((part + 1) * messages.length) / parts)
    await publish(chosen)
    if (part < 2) await restart(part)
    // Again, and what came before too.
    await publish(chosen)
  }
  const told = async () => {
    const { rows } = await database.pool.query<{ told: string; state: string }>(
      `select body::json -> 'data' ->> 'paymentPolicy' || ' ' || type as told, state from deliveries order by 1`,
    )
    return rows
  }
  /** A status that was stored before its policy is not told: nobody knew whom to tell. */
  const isSure = (each: string) => !/paused|resumed/.test(each)
  const arrived = async () => {
    const rows = (await told()).filter(row => row.state === 'delivered').map(row => row.told)
    return expected.filter(isSure).every(each => rows.includes(each))
  }
  await waitFor(arrived, { what: 'the deliveries', timeoutMs: 60_000 })
  // The stream is read again from its first message, as after a database that lost commits, by ingest anew.
  await database.pool.query('update stream_head set reingest_from = 1')
  await restart(0)
  await waitFor(
    async () =>
      (await database.pool.query('select reingest_from as from from stream_head')).rows[0].from === null,
    { what: 'the stream to be read again', timeoutMs: 60_000 },
  )
  await waitFor(async () => (await told()).every(row => row.state === 'delivered'), { what: 'rest' })
  const check = (list: string[], what: string) => {
    t.same(list.filter(isSure).sort(), expected.filter(isSure), what)
    t.equal(new Set(list).size, list.length, `${what}: none twice`)
    t.same(
      list.filter(each => !expected.includes(each)),
      [],
      `${what}: nothing else`,
    )
  }
  check(
    (await told()).map(row => row.told),
    'the rows',
  )
  const ids = new Map<string, string>()
  for (const { headers, body } of receiver.requests) {
    const { type, data } = JSON.parse(body) as { type: string; data: { paymentPolicy: string } }
    ids.set(String(headers['webhook-id']), `${data.paymentPolicy} ${type}`)
  }
  check([...ids.values()], 'the requests by their ids')
})
