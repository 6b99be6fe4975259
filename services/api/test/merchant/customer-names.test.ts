// What a gateway calls a wallet: in its own lists, search and export, and nowhere else.
import { buildAddress, buildChain } from '@payment-tracking/testkit'
import t from 'tap'
import { addSignedIn, openGatewayApi } from '../gateway-auth/open-gateway-api.js'
import { storeMessages } from '../store-messages.js'

const api = await openGatewayApi(t)
const [shop, other] = [await addSignedIn(api), await addSignedIn(api)]
const chain = buildChain({ seed: 'names', firstSlot: 1_000 })
const [payer, second] = [buildAddress('payer'), buildAddress('second')]
const pay = (gateway: string, from: string) =>
  chain.payDirectly({
    gateway,
    payer: from,
    recipient: buildAddress('till'),
    tokenMint: buildAddress('mint'),
    amount: 5n,
    trackingId: 'cart',
  })
const { address } = shop.gateway
await storeMessages(api, pay(address, payer), pay(address, second), pay(other.gateway.address, payer))

const base = (gateway: string) => `/v1/gateway/${gateway}/merchant`
const name = (called: unknown, { wallet = payer, token = shop.token } = {}) =>
  api.call('PUT', `${base(address)}/subscribers/${wallet}`, { token, body: { name: called } })
const read = async (path: string, { gateway, token } = { gateway: shop.gateway, token: shop.token }) =>
  api.call('GET', `${base(gateway.address)}/${path}`, { token })
const readFile = async ({ gateway, token } = { gateway: shop.gateway, token: shop.token }) => {
  const url = `${base(gateway.address)}/export/subscribers`
  return (await api.apps[0]!.inject({ url, headers: { authorization: `Bearer ${token}` } })).body
}
const namesOf = async (path: string) =>
  (await read(path)).body.items.map((item: { wallet: string; name: string }) => [item.wallet, item.name])

t.test('a wallet is called by its name in lists, its page, a search and the file', async t => {
  t.match(await name('Café Krone'), { status: 200, body: { name: 'Café Krone' } })
  t.equal((await read(`subscribers/${payer}`)).body.name, 'Café Krone')
  t.equal((await read(`subscribers/${second}`)).body.name, null)
  for (const search of ['Café Krone', 'café', 'CAFÉ KR', 'Cafe\u0301'])
    t.same(await namesOf(`subscribers?search=${encodeURIComponent(search)}`), [[payer, 'Café Krone']], search)
  for (const search of ['Ca', 'Krone']) t.same(await namesOf(`subscribers?search=${search}`), [], search)
  const found = await api.call('GET', `/v1/search?q=${encodeURIComponent('café')}`, { token: shop.token })
  t.same(found.body, [{ kind: 'customer', id: payer, name: 'Café Krone', webhookId: null }])
  const byWallet = await api.call('GET', `/v1/search?q=${payer}`, { token: shop.token })
  t.match(byWallet.body.at(-1), { kind: 'customer', name: 'Café Krone' })
  const file = (await readFile()).split('\r\n')
  t.match(file[0], /,state,name,totalPaidDecimal,symbol,oneTime$/, 'behind the columns that were there')
  const shown = file.find(line => line.startsWith(payer))!
  t.match(shown, /,Café Krone,,,true$/)
  const endedLine = file.find(line => line.startsWith(second))!
  t.match(endedLine, /,ended,,,,true$/)
})

t.test('no other gateway, nobody and no key without the scope reads or writes it', async t => {
  const of = { gateway: other.gateway, token: other.token }
  t.equal((await read(`subscribers/${payer}`, of)).body.name, null)
  t.same((await read('subscribers?search=caf', of)).body.items, [])
  t.notMatch(await readFile(of), 'Krone')
  for (const token of [other.token, undefined])
    t.notMatch(
      JSON.stringify((await api.call('GET', `/v1/search?q=${encodeURIComponent('café')}`, { token })).body),
      'Krone',
    )
  t.equal((await name('Mine', { token: other.token })).status, 403)
  t.equal((await name('Mine', { token: 'none' })).status, 401)
  const keyOf = async (scopes: string[]) =>
    (await api.call('POST', '/v1/api-keys', { token: shop.token, body: { name: 'k', scopes } })).body.key
  const byReader = await name('Mine', { token: await keyOf(['merchant:read']) })
  t.match(byReader, { status: 403, body: { code: 'SCOPE_MISSING' } })
  t.equal((await name('By a key', { token: await keyOf(['merchant:write']) })).status, 200)
})

t.test('a name has 1 to 64 characters, of a customer, and can be taken back', async t => {
  const longest = '🦀'.repeat(64)
  t.equal((await name(longest)).status, 200)
  t.equal((await read(`subscribers/${payer}`)).body.name, longest)
  // One sign that a search compares as eighteen letters.
  t.equal((await name('\ufdfa'.repeat(64))).status, 200)
  for (const wrong of [`${longest}x`, '', '  ', 'a\0', 5])
    t.match(await name(wrong), { status: 400, body: { code: 'INVALID_BODY' } }, String(wrong))
  const ofStranger = await name('Nobody', { wallet: buildAddress('stranger') })
  t.match(ofStranger, { status: 404, body: { code: 'NOT_FOUND' } })
  t.equal((await name(null)).status, 200)
  t.equal((await name(null)).status, 200, 'twice')
  t.equal((await read(`subscribers/${payer}`)).body.name, null)
  const { rows } = await api.database.pool.query('select from customer_names')
  t.equal(rows.length, 0, 'nothing of it is kept')
})
