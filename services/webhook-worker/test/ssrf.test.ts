import { readFileSync } from 'node:fs'
import { openReceiver } from '@payment-tracking/testkit'
import t from 'tap'
import { openConnections } from '../src/requests/connections.js'
import { openDeadlines } from '../src/requests/deadlines.js'
import type { PinnedAddress } from '../src/requests/resolve-target.js'
import type { SendOptions } from '../src/requests/send-delivery.js'
import { sendOne } from './support/send-one.js'

const corpus = JSON.parse(
  readFileSync(new URL('../../../test/fixtures/ssrf-conformance.json', import.meta.url), 'utf8'),
) as {
  urls: { url: string; allowed: boolean; why: string }[]
  answers: { answers: string[]; allowed: boolean; why: string }[]
}

const pinned = (address: string): PinnedAddress => ({ address, family: address.includes(':') ? 6 : 4 })

t.test('at an attempt', async t => {
  const connections = openConnections({ timeoutMs: 1_000 })
  t.teardown(() => connections.close())
  let reached = 0
  const connect = connections.to.bind(connections)
  const options: SendOptions = {
    allowPrivateTargets: false,
    userAgent: 'test',
    // The test cancels a request that may leave: it must not call public addresses.
    connections: {
      ...connections,
      to: () => {
        reached++
        throw new Error('allowed')
      },
    },
    resolve: () => Promise.resolve([pinned('8.8.8.8')]),
    deadlines: openDeadlines(1_000),
  }

  t.test('refuses each URL of the conformance table before a connection, for good', async t => {
    for (const { url, allowed, why } of corpus.urls) {
      reached = 0
      const answer = await sendOne(url, options)
      t.equal(answer.error === 'address refused' && answer.final, !allowed, `${url} (${why})`)
      t.equal(reached, allowed ? 1 : 0)
    }
  })

  t.test('refuses each resolver answer of the conformance table', async t => {
    for (const { answers, allowed, why } of corpus.answers) {
      reached = 0
      const resolve = () => Promise.resolve(answers.map(pinned))
      const answer = await sendOne('https://shop.example/', { ...options, resolve })
      t.equal(answer.error, 'unreachable', `${answers.join(' ')} (${why})`)
      t.equal(reached, allowed ? 1 : 0, `${answers.join(' ')} (${why})`)
    }
  })

  t.test('a name of our network and a name that nobody knows have one answer', async t => {
    const ask = (resolve: typeof options.resolve) =>
      sendOne('https://db.shop.example/', { ...options, resolve })
    const inside = await ask(() => Promise.resolve([pinned('10.0.0.7')]))
    const unknown = await ask(() => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' })))
    t.strictSame(inside, unknown)
    t.notOk(inside.final)
  })

  t.test('connects to the address that was checked', async t => {
    const receiver = await openReceiver(t)
    const asked: string[] = []
    // The system cannot resolve this name: only the checked answer can lead to the receiver.
    const url = `http://rebind.example:${receiver.port}/`
    const answers = [['127.0.0.1'], ['127.0.0.2'], ['127.0.0.1']]
    const rebinding = (name: string) => {
      asked.push(name)
      return Promise.resolve(answers[asked.length - 1]!.map(pinned))
    }
    const development = {
      ...options,
      connections: { ...connections, to: connect },
      allowPrivateTargets: true,
      resolve: rebinding,
    }
    t.equal((await sendOne(url, development)).outcome, 'accepted')
    t.equal((await sendOne(url, development)).error, 'unreachable', 'no connection of the first address')
    t.equal((await sendOne(url, development)).outcome, 'accepted')
    t.strictSame(asked, ['rebind.example', 'rebind.example', 'rebind.example'], 'resolved once an attempt')
    t.equal(receiver.requests[0]!.headers.host, `rebind.example:${receiver.port}`, 'Host stays the name')
    t.strictSame(
      (
        await sendOne(url.replace('http', 'https'), {
          ...development,
          allowPrivateTargets: false,
        })
      ).error,
      'address refused',
    )
  })

  t.test('a name server that never answers costs only the deadline', async t => {
    const answer = await sendOne('https://slow.example/', {
      ...options,
      deadlines: openDeadlines(200),
      resolve: () => new Promise(() => {}),
    })
    t.equal(answer.error, 'timeout')
  })
})

t.test('the worker does not use proxies of the environment', async t => {
  const proxy = await openReceiver(t)
  const receiver = await openReceiver(t)
  process.env.http_proxy = proxy.url
  process.env.HTTP_PROXY = proxy.url
  t.teardown(() => {
    delete process.env.http_proxy
    delete process.env.HTTP_PROXY
  })
  const connections = openConnections({ timeoutMs: 1_000 })
  t.teardown(() => connections.close())
  const answer = await sendOne(receiver.url, { connections })
  t.equal(answer.outcome, 'accepted')
  t.equal(proxy.requests.length, 0)
})
