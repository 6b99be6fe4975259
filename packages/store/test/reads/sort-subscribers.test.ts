// Customers by their first payment, their last one, and what they paid.
import { addEvents } from '@payment-tracking/testkit'
import t from 'tap'
import { findSubscribers } from '../../src/reads/merchant/find-subscribers.js'
import type { SubscriberOrder } from '../../src/reads/merchant/sort-subscribers.js'
import { openTestStore } from '../open-test-store.js'
import { blocksOf, explain, sentBy } from '../plans/explain.js'

const RULES = { nowSeconds: 0, graceSeconds: 0, programId: 'program' }
const MANY = 30_000
const { store, pool } = await openTestStore(t)

/** @param at in seconds */
const pay = (gateway: string, payer: string, at: number, amount: number, mint = 'usdc') =>
  addEvents(
    pool,
    { first: at, last: at },
    { signature: 'random()', paid_at: 'n', gateway: '$1', payer: '$2', token_mint: '$3', amount: '$4' },
    [gateway, payer, mint, amount],
  )

/** All pages, of two wallets each. */
async function list(gateway: string, sort: SubscriberOrder, tokenMint?: string): Promise<string[]> {
  const wallets: string[] = []
  let after: string | undefined
  for (let offset = 0; ; offset += sort === 'paid' ? 2 : 0) {
    const page = { limit: 2, offset, after }
    const { items, next } = await findSubscribers(store, gateway, { sort, tokenMint }, page, RULES)
    wallets.push(...items.map(({ wallet }) => wallet))
    if (sort === 'paid' ? items.length < 2 : next === null) return wallets
    after = next ?? undefined
  }
}

t.test('each wallet stands once, at its first payment, its last one or its sum', async t => {
  for (const [payer, at, amount] of [
    ['anna', 1, 5],
    ['bert', 2, 90],
    ['anna', 3, 5],
    ['cleo', 4, 9],
    ['bert', 5, 1],
    ['anna', 6, 5],
    ['dora', 7, 1],
  ] as const)
    await pay('shop', payer, at, amount)
  await pay('shop', 'cleo', 0, 1_000, 'other token')
  await pay('beside', 'emil', 8, 1)
  // Two payments of one second.
  await pay('shop', 'dora', 7, 1)
  t.same(await list('shop', 'wallet'), ['anna', 'bert', 'cleo', 'dora'])
  t.same(await list('shop', 'newest'), ['dora', 'bert', 'anna', 'cleo'])
  t.same(await list('shop', 'last_payment'), ['dora', 'anna', 'bert', 'cleo'])
  t.same(await list('shop', 'paid'), ['bert', 'anna', 'cleo', 'dora'])
  t.same(await list('shop', 'paid', 'other token'), ['cleo'])
  t.same(await list('nobody', 'newest'), [])
})

t.test('a wallet that paid many times hides no other, and a page looks at bounded payments', async t => {
  await pay('busy', 'early', 1, 1)
  await addEvents(
    pool,
    { first: 90_001, last: 90_000 + MANY },
    { gateway: `'busy'`, payer: `'often'`, token_mint: `'usdc'`, paid_at: 'n' },
  )
  for (const sort of ['newest', 'last_payment'] as const)
    t.same((await list('busy', sort)).toSorted(), ['early', 'often'], sort)
  for (const sort of ['newest', 'last_payment', 'paid'] as const) {
    const page = { limit: 1, offset: 0 }
    const sent = await sentBy(store, reader => findSubscribers(reader, 'busy', { sort }, page, RULES))
    const plans = await explain(pool, sent)
    const blocks = plans.reduce((sum, plan) => sum + blocksOf(plan), 0)
    t.ok(blocks < 200_000, `${sort}: ${blocks} blocks`)
  }
})
