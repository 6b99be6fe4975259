// Who may wait for a feed: a hundred gateways of one stranger took all places of a process, and no other gateway could wait.
import t from 'tap'
import { makeSigningKeys } from '../gateway-auth/make-signing-keys.js'
import { signInDirectly } from '../merchant/sign-in-directly.js'
import { openApi } from '../open-api.js'
import { memoOf, openChain } from '../open-chain.js'

const keys = makeSigningKeys()
const [OF_ADDRESS, OF_ALL] = [2, 10]
const api = await openApi(t, {
  JWT_PRIVATE_KEYS: keys,
  RATE_LIMIT_MAX: '100000',
  TRUST_PROXY: 'on',
  'api.feedWaitsPerAddress': String(OF_ADDRESS),
  'api.feedWaits': String(OF_ALL),
  'api.checkEveryMs': '100',
  'api.requestsAtOncePerAddress': '100',
})
const chain = openChain(api.store)
// Over sockets: who waits holds one.
const baseUrl = await api.app.listen({ port: 0, host: '127.0.0.1' })

type Shop = Awaited<ReturnType<typeof openShop>>

async function openShop(label: string) {
  const { gateway, headers } = await signInDirectly(chain, keys, label)
  const read = async (from: string, query: string) => {
    const sent = { headers: { ...headers, 'x-forwarded-for': from } }
    const answer = await fetch(`${baseUrl}/v1/gateway/${gateway}/feed?${query}`, sent)
    const body = (await answer.json()) as { items: unknown[]; next: string }
    return { status: answer.status, body, retryAfter: answer.headers.get('retry-after') }
  }
  const { next } = (await read('192.0.2.9', '')).body
  const ask = (from: string, wait = 25, after = next) => read(from, `wait=${wait}&after=${after}`)
  const pay = () => chain.transfer({ gateway, amount: 5, memo: memoOf(label) }, 1_790_000_000)
  /** As many as asked for wait, and one more is answered: whichever comes last. */
  const fill = async (from: string, places: number) => {
    const all = Array.from({ length: places + 1 }, () => ask(from))
    const answer = await Promise.race(all)
    t.match(answer, { status: 200, body: { items: [], next: String }, retryAfter: '5' }, label)
    return async () => {
      const waited = (await Promise.all(all)).filter(each => each !== answer)
      t.equal(waited.length, places)
      for (const each of waited) {
        t.equal(each.body.items.length, 1, 'it has waited for a message')
        t.equal(each.retryAfter, null)
      }
    }
  }
  return { ask, pay, fill, next }
}

t.test('one client took all places to wait, and others were none', async t => {
  const shops = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(openShop))
  const [a, b, c, d, e, f, g] = shops as [Shop, Shop, Shop, Shop, Shop, Shop, Shop]
  const answered = [await a.fill('192.0.2.1', OF_ADDRESS)]
  t.equal((await b.ask('192.0.2.1')).retryAfter, '5', 'the share of an address is of all gateways')
  answered.push(await b.fill('192.0.2.2', OF_ADDRESS))
  answered.push(await c.fill('192.0.2.3', OF_ADDRESS))
  answered.push(await d.fill('192.0.2.4', OF_ADDRESS))
  answered.push(await e.fill('192.0.2.5', 1))
  answered.push(await f.fill('192.0.2.6', 1))
  t.equal((await g.ask('192.0.2.7')).retryAfter, '5', 'each place is taken')

  await g.pay()
  const { body, retryAfter } = await g.ask('192.0.2.7')
  t.equal(body.items.length, 1, 'what is there is told, with or without a place')
  t.equal(retryAfter, null)

  for (const shop of [a, b, c, d, e, f]) await shop.pay()
  for (const untilAnswered of answered) await untilAnswered()
  t.equal((await g.ask('192.0.2.1', 1, body.next)).retryAfter, null, 'places are given back')
})

t.test('who owns a wide network counts as one client', async t => {
  const shop = await openShop('wide')
  // One place more is free.
  const all = Array.from({ length: 4 * OF_ADDRESS + 1 }, (_, n) => shop.ask(`2001:db8:1:${n}00::1`))
  t.match(await Promise.race(all), { status: 200, body: { items: [] }, retryAfter: '5' })
  await shop.pay()
  const waited = (await Promise.all(all)).filter(answer => answer.retryAfter === null)
  t.equal(waited.length, 4 * OF_ADDRESS)
})
