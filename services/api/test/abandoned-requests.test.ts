// Work went on for requests that nobody waited for: 400 clients that left after 100 ms kept the pool busy for three minutes.
// Locks hold the work up, so that no test depends on how fast the machine is.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { waitFor } from '@payment-tracking/testkit'
import t, { type Test } from 'tap'
import { makeSigningKeys } from './gateway-auth/make-signing-keys.js'
import { signInDirectly } from './merchant/sign-in-directly.js'
import { openApi } from './open-api.js'
import { keyOf, memoOf, openChain } from './open-chain.js'

const AT_ONCE = 4

/** A gateway that was paid, and an API that answers 503 after the deadline. */
async function openShop(deadlineMs: number) {
  const keys = makeSigningKeys()
  const { app, store, database } = await openApi(t, {
    JWT_PRIVATE_KEYS: keys,
    RATE_LIMIT_MAX: '100000',
    'api.statementTimeoutMs': '60000',
    'api.requestDeadlineMs': String(deadlineMs),
    'api.requestsAtOncePerAddress': String(AT_ONCE),
  })
  const { pool } = database
  const chain = openChain(store)
  const { gateway, headers } = await signInDirectly(chain, keys, 'shop')
  await chain.transfer({ gateway, amount: 5, memo: memoOf('order'), payer: keyOf('wallet') }, 1_790_000_000)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  /** @returns the answer, and what the client does to leave */
  const ask = (path: string, body?: object) => {
    const sent = request({
      port,
      host: '127.0.0.1',
      path,
      agent: false,
      method: body ? 'POST' : 'GET',
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    })
    const answer = once(sent, 'response').then(async ([response]) => {
      const { statusCode } = response as IncomingMessage
      const text = Buffer.concat(await (response as IncomingMessage).toArray()).toString()
      return { status: statusCode, code: (JSON.parse(text) as { code?: string }).code }
    })
    answer.catch(() => {})
    sent.end(body && JSON.stringify(body))
    return { answer, leave: () => sent.destroy() }
  }
  const count = async (text: string) => (await pool.query(text)).rowCount!
  const ofOthers = `select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
  return {
    ask,
    askForCohorts: () => ask(`/v1/gateway/${gateway}/merchant/cohorts`),
    addWebhook: () =>
      ask('/v1/webhooks', { gateway_pubkey: gateway, endpoint_url: 'https://shop.example/hook' }),
    countWebhooks: () => count('select from webhooks'),
    expect: (trackingId: string) =>
      ask(`/v1/gateway/${gateway}/expectations`, {
        trackingId,
        recipient: keyOf('recipient'),
        tokenMint: keyOf('mint'),
        amount: '5',
      }),
    countExpected: (trackingId: string) =>
      count(`select from expectations where tracking_id = '${trackingId}'`),
    /** Locks a table against everybody. @returns ends the lock */
    lock: async (t: Test, table: string) => {
      const holder = await pool.connect()
      let isOpen = true
      const unlock = async () => {
        if (isOpen) await holder.query('rollback')
        if (isOpen) holder.release()
        isOpen = false
      }
      t.teardown(unlock)
      await holder.query(`begin; lock table ${table} in access exclusive mode`)
      return unlock
    },
    untilWaiting: (statements: number) =>
      waitFor(async () => (await count(`${ofOthers} and wait_event_type = 'Lock'`)) === statements, {
        what: `${statements} statements that wait for a lock`,
      }),
    untilNoTransaction: () =>
      waitFor(async () => (await count(`${ofOthers} and xact_start is not null`)) === 0, {
        what: 'the end of all transactions',
      }),
    untilConnected: (clients: number) =>
      waitFor(
        () =>
          new Promise<boolean>((resolve, reject) =>
            app.server.getConnections((error, open) => (error ? reject(error) : resolve(open === clients))),
          ),
        { what: `${clients} clients` },
      ),
  }
}

/** The statements of reads that the API sends, with their values. */
function watchReads(t: Test) {
  const sent: string[] = []
  const note = (message: unknown) => {
    const { text, values } = message as { text: string; values: unknown[] }
    sent.push(`${text} ${JSON.stringify(values)}`)
  }
  subscribe('payment-tracking:store:statement', note)
  t.teardown(() => unsubscribe('payment-tracking:store:statement', note))
  return { countOf: (part: string) => sent.filter(text => text.includes(part)).length }
}

const [patient, hasty] = [await openShop(120_000), await openShop(500)]

t.test('work went on after its client left: its statement is cancelled, and none follows', async t => {
  const reads = watchReads(t)
  const unlock = await patient.lock(t, 'events')
  const { leave } = patient.askForCohorts()
  await patient.untilWaiting(1)
  leave()
  await patient.untilWaiting(0)
  await unlock()
  const PAGE = 'with wallets as'
  t.equal(reads.countOf(PAGE), 0, 'the statement that waited was the first of several')
  t.equal((await patient.askForCohorts().answer).status, 200, 'its connection serves others')
  t.equal(reads.countOf(PAGE), 1)
})

t.test('work went on after its 503', async t => {
  await hasty.lock(t, 'events')
  t.match(await hasty.askForCohorts().answer, { status: 503, code: 'STORE_TIMEOUT' })
  await hasty.untilWaiting(0)
})

t.test('requests that waited for their turn ran after their clients had left', async t => {
  const { ask, untilConnected } = patient
  const reads = watchReads(t)
  await untilConnected(0)
  const unlock = await patient.lock(t, 'events')
  const running = Array.from({ length: AT_ONCE }, (_, n) => ask(`/v1/events?limit=${n + 1}`))
  await patient.untilWaiting(AT_ONCE)
  const waiting = Array.from({ length: AT_ONCE }, (_, n) => ask(`/v1/onetime/later-${n}`))
  await untilConnected(2 * AT_ONCE)
  for (const { leave } of waiting) leave()
  await untilConnected(AT_ONCE)
  await unlock()
  for (const { answer } of running) t.equal((await answer).status, 200)
  t.equal((await ask('/v1/onetime/after').answer).status, 404)
  t.equal(reads.countOf('later-'), 0)
})

t.test('a change was made although its client had left', async t => {
  await patient.untilConnected(0)
  const unlock = await patient.lock(t, 'gateway_changes')
  const { leave } = patient.addWebhook()
  await patient.untilWaiting(1)
  leave()
  await patient.untilConnected(0)
  await unlock()
  await patient.untilNoTransaction()
  t.equal(await patient.countWebhooks(), 0)
  t.equal((await patient.addWebhook().answer).status, 201)
  t.equal(await patient.countWebhooks(), 1)
})

t.test('a change was made although its client was told that it had failed', async t => {
  const unlock = await hasty.lock(t, 'gateway_changes')
  t.equal((await hasty.addWebhook().answer).status, 503)
  await unlock()
  await hasty.untilNoTransaction()
  t.equal(await hasty.countWebhooks(), 0)
})

t.test('a payment was expected although its client had left before its turn', async t => {
  const { expect, countExpected } = patient
  await patient.untilConnected(0)
  const unlock = await patient.lock(t, 'expectations')
  const running = [expect('first'), expect('second')]
  await patient.untilWaiting(2)
  const waiting = expect('left')
  await patient.untilConnected(3)
  waiting.leave()
  await patient.untilConnected(2)
  await unlock()
  for (const { answer } of running) t.equal((await answer).status, 201)
  t.equal((await expect('last').answer).status, 201, 'nothing stays in the way')
  t.same(await Promise.all(['first', 'left', 'last'].map(countExpected)), [1, 0, 1])
})
