// The console with no payment, with three and with twelve pages of a list: amounts to the limit of the chain, memos of 64 bytes in
// any script, and an environment that is not production.
import { buildChain, waitFor } from '@payment-tracking/testkit'
import t, { type Test } from 'tap'
import { checkWidths, findFaults } from '../console/check-page.js'
import { awaitValue, holdsAttribute, holdsCount, holdsText } from '../console/hold.js'
import { askJson } from '../ask-json.js'
import { signIn } from '../chaos/load/receivers.js'
import { visit } from '../console/open-browser.js'
import { openConsole } from '../console/open-console.js'
import { startStackWithPublisher } from './start-stack-with-publisher.js'

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const LARGEST = 2n ** 64n - 1n
const MANY = 1_200
/** As long as a memo can be, in bytes. */
const MEMOS = [
  'W'.repeat(64),
  'طلب'.repeat(10),
  '注文番号'.repeat(5),
  '💸'.repeat(16),
  `a${'\u202e'.repeat(21)}`,
]

const { id, baseUrl, publish } = await startStackWithPublisher(t, 'sizes', {
  RATE_LIMIT_MAX: '100000',
  ENVIRONMENT: 'devnet',
  EXPLORER_URL: 'https://explorer.example/{kind}/{value}?cluster=devnet',
})
const chain = buildChain({ seed: id })
const gateway = await chain.openGateway('Sizes')
const { page, go, outside } = await openConsole(t, baseUrl, gateway.authority)
const count = async () =>
  ((await (await fetch(`${baseUrl}/v1/events/payments/stats`)).json()) as { count: number }).count

/** Signs in as the gateway, and walks over the pages. */
async function check(t: Test, what: string, paths: readonly string[]) {
  for (const path of paths) {
    await go(path)
    await page.waitForFunction(() => !document.querySelector('[aria-busy=true]'))
    await checkWidths(t, page, `${path} with ${what}`)
  }
  t.same(await findFaults(page), [], `axe finds no fault with ${what}`)
}

/** Of a list with compact rows, in a window of a desk. */
async function hold24Rows(t: Test, whose: string): Promise<void> {
  const size = page.viewportSize()!
  await page.setViewportSize({ width: 1440, height: 900 })
  const compact = page.getByRole('button', { name: 'Compact rows' })
  if ((await compact.getAttribute('aria-pressed')) !== 'true') await compact.click()
  await page.evaluate(() => scrollTo(0, 0))
  const readRows = () =>
    page
      .locator('tbody tr')
      .evaluateAll(rows => rows.filter(row => row.getBoundingClientRect().bottom <= 900).length)
  const rows = await awaitValue(readRows, seen => seen >= 24, `24 rows ${whose} in 900 pixels`)
  t.ok(rows >= 24, `${rows} rows ${whose} in 900 pixels`)
  t.same(await findFaults(page), [], 'axe finds no fault with compact rows')
  await page.setViewportSize(size)
}

t.test('without a payment, each page says what to do next', async t => {
  await publish(gateway.created)
  await go('/')
  const verdict = page.getByRole('region', { name: 'Is all well?' })
  await holdsText(t, verdict, /^No payment has arrived yet; no chain is followed/, 'nothing is called well')
  await holdsAttribute(t, verdict, 'class', /^verdict plain$/, 'nor green')
  await page.getByText('npm start -- --demo').first().waitFor()
  await page.getByText('No payment in the last 24 hours').waitFor()
  await holdsCount(t, page.locator('.legend .hatched'), 1, 'what is not known is a gap')
  const hours = page.getByRole('slider', { name: /^The last 24 hours/ })
  await hours.press('Home')
  await holdsAttribute(t, hours, 'aria-valuetext', /payments not known$/, 'the gap in words')
  await hours.press('End')
  await holdsAttribute(t, hours, 'aria-valuetext', /payments 0 so far$/, 'nothing was paid')
  const readTitle = () => page.title()
  await awaitValue(readTitle, title => title.startsWith('[devnet] Overview'), 'the environment stands first')
  const icon = page.locator('link[rel=icon]').first()
  await holdsAttribute(t, icon, 'href', /icon-other\.svg/, 'an icon of its own')
  await holdsText(t, page.locator('.environment'), /^devnet$/, 'the environment')
  await check(t, 'no payment', ['/', '/payments', '/subscriptions'])
  await page.setViewportSize({ width: 360, height: 740 })
  await page.locator('.environment').waitFor()
  t.pass('on a phone too')
  await page.setViewportSize({ width: 1280, height: 900 })
})

t.test('three payments, then more, to the limits of amount and memo', async t => {
  const payer = await chain.openUserPayment(USDC)
  await publish(payer.created)
  let last = ''
  for (const [index, trackingId] of MEMOS.entries()) {
    if (index === 3) {
      await waitFor(async () => (await count()) === 3)
      await go('/payments')
      await page.locator('tbody tr').nth(2).waitFor()
      await holdsCount(t, page.locator('tbody tr'), 3, 'three payments')
      await check(t, 'three payments', ['/', '/payments', `/payments/${last}`, '/subscriptions'])
    }
    const policy = await chain.openPolicy(gateway, payer, { trackingId, amount: LARGEST })
    const paid = chain.pay(policy)
    last = paid.signature
    await publish(policy.created, paid)
  }
  await waitFor(async () => (await count()) === MEMOS.length)
  await go('/payments')
  await page
    .locator('tbody tr')
    .nth(MEMOS.length - 1)
    .waitFor()
  await holdsCount(t, page.getByText('18,446,744,073,709'), MEMOS.length, 'the largest amounts')
  await holdsText(t, page.locator('tbody'), /a(\\u\{202e\}){21}/, 'what would turn the text is shown')
  const link = page.locator('tbody .key a').first()
  const explorer = /^https:\/\/explorer\.example\/address\/\w+\?cluster=devnet$/
  await holdsAttribute(t, link, 'href', explorer, 'the explorer')
  await holdsAttribute(t, link, 'rel', /^noopener noreferrer$/, 'without a referrer')
  await check(t, 'the largest', [
    '/',
    '/payments',
    `/payments/${last}`,
    '/subscriptions?by=gatewayPublicKey&value=' + gateway.address,
  ])
})

t.test('twelve pages of payments: the newest at once, older ones when asked', async t => {
  const payer = await chain.openUserPayment(USDC)
  const policy = await chain.openPolicy(gateway, payer, { trackingId: `many-${id}`, amount: 1_500_000n })
  await publish(payer.created, policy.created)
  const messages = Array.from({ length: MANY }, () => chain.pay(policy))
  for (let first = 0; first < MANY; first += 500)
    await Promise.all(messages.slice(first, first + 500).map(message => publish(message)))
  await waitFor(async () => (await count()) === MANY + MEMOS.length, { timeoutMs: 60_000 })
  await go('/')
  const ofDay = page.locator('.tile', { hasText: 'Payments in 24 hours' }).locator('.figure')
  await holdsText(t, ofDay, new RegExp(`^${(MANY + MEMOS.length).toLocaleString('en-US')}$`), 'the day')
  await check(t, 'twelve pages', ['/', '/payments'])
  await holdsCount(t, page.locator('tbody tr'), 100, 'the newest')
  await hold24Rows(t, 'of a stranger')
  await page.getByRole('button', { name: 'Older payments' }).click()
  await holdsCount(t, page.locator('tbody tr'), 200, 'a page of older ones')
  const token = await signIn(baseUrl, gateway)
  const { body } = await askJson(`${baseUrl}/v1/session/links`, { method: 'POST', token })
  await visit(page, `${baseUrl}${body.path}`)
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
  await go('/payments')
  await page.getByRole('heading', { name: 'My payments' }).waitFor()
  await holdsCount(t, page.locator('tbody tr'), 100, 'the newest of its own')
  await hold24Rows(t, 'of a gateway')
  t.same(outside, [], 'no explorer was asked')
})
