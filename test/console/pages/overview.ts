// The first page: is all well?
import { checkPage, DESK, PHONE } from '../check-page.js'
import { awaitValue, holdsCount, holdsText } from '../hold.js'
import { press, type } from '../walk-by-keyboard.js'
import type { Locator, Page } from 'playwright-core'
import { expectPayment } from '@payment-tracking/client'
import { buildAddress } from '@payment-tracking/testkit'
import { signIn } from '../../chaos/load/receivers.js'
import t from 'tap'
import { USDC, type Market } from '../open-market.js'

const tileOf = (page: Page, name: string): Locator =>
  page.locator('.tile', { has: page.locator('.name', { hasText: name }) })

/** How much moves, as browsers count it, on a phone that is signed in and does not know it before the service answers. */
async function shiftOfFirstVisit(of: Page): Promise<number> {
  const page = await of.context().newPage()
  await page.setViewportSize(PHONE)
  await page.addInitScript(() => {
    localStorage.removeItem('payment-tracking.session')
    Object.assign(globalThis, { shift: 0 })
    const add = (entry: PerformanceEntry) => {
      ;(globalThis as unknown as { shift: number }).shift += (
        entry as PerformanceEntry & { value: number }
      ).value
    }
    new PerformanceObserver(list => list.getEntries().forEach(add)).observe({
      type: 'layout-shift',
      buffered: true,
    })
  })
  // The answer comes after the first picture, as over a slow line.
  await page.route('**/v1/session', async route => {
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.evaluate(() => new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn))))
    await route.continue()
  })
  await page.goto(new URL('/console/', of.url()).href)
  await page.getByRole('region', { name: 'Is all well?' }).getByText('issues need attention').waitFor()
  await page.getByRole('heading', { name: 'My newest payments' }).waitFor()
  const shift = await page.evaluate(() => (globalThis as unknown as { shift: number }).shift)
  await page.close()
  return shift
}

/** Nobody is signed in. */
export function testOverviewOfStranger({ page, go }: Market): void {
  t.test('a stranger sees how things stand, and what a sign-in would add', async t => {
    await go('/')
    await page.getByText('All is well').waitFor()
    await page.locator('.chart canvas').waitFor()
    const bounds = /^.*\d\d:00 to .*\d\d:00\. Highest: payments [12]\b.*\(.*\d\d:00\)$/
    await holdsText(t, page.locator('.chart .bounds'), bounds, 'both ends of the axis, and its maximum')
    const figureOf = (name: string) => tileOf(page, name).locator('.figure')
    await holdsText(t, figureOf('Volume in 24 hours'), /25\.00 USDC/, 'the volume comes first')
    await holdsText(t, figureOf('Payments in 24 hours'), /^2$/, 'the day')
    // On a slow machine the minute of the two payments can be over.
    const minute = /nothing to compare with the day before · [0-2] in the last minute/
    await holdsText(t, page.locator('.tiles'), minute, 'the last minute')
    await holdsText(t, figureOf('Due and overdue'), /^Sign in$/, 'what a sign-in adds')
    await holdsText(
      t,
      page.locator('.verdict'),
      /^All is well\s+Payments arrive\.\s+Sign in/,
      'nothing unseen',
    )
    const readTitle = () => page.title()
    await awaitValue(readTitle, seen => seen === 'Overview · Payment tracking', 'production needs no name')
    const menu = await page.locator('.bar').boundingBox()
    t.ok(menu!.width > 150 && menu!.height > 600, 'the menu is the whole left side')
    await checkPage(t, page, 'overview of a stranger')
  })

  t.test('light or dark is by the system until somebody chooses', async t => {
    const background = () =>
      page.evaluate(() => getComputedStyle(document.body.parentElement!).backgroundColor)
    const light = await background()
    const colours = page.getByRole('combobox', { name: 'Theme' })
    await colours.selectOption('dark')
    const dark = await awaitValue(background, seen => seen !== light, 'another background')
    await page.reload()
    await colours.waitFor()
    t.equal(await awaitValue(background, seen => seen === dark, 'the choice stays'), dark)
    await colours.selectOption('system')
    t.equal(await awaitValue(background, seen => seen === light, 'the choice of the system'), light)
  })
}

/** Signed in, with an endpoint that fails and a payment that is late. */
export function testOverviewOfGateway({
  id,
  baseUrl,
  database,
  publish,
  chain,
  gateway,
  policy,
  page,
  takePicture,
}: Market): void {
  /** Sums of the hours before this one, as a day of business leaves them: the events themselves would count as late ones.
   * An hour that ended while the test ran has sums already. The oldest hour has none: it leaves the day when an hour ends meanwhile. */
  async function fillDay() {
    const values = `from (values ($1), ('')) gateways (gateway), generate_series(1, 22) n,
        lateral (select date_trunc('hour', now()) - n * interval '1 hour' as start, 90 + (n * 37) % 61 - 3 * n as count) hour`
    await database.pool.query(
      `insert into event_counts (gateway, span, name, start, count) select gateway, 3600, 'PaymentRecord', start, count ${values}
       on conflict do nothing`,
      [gateway.address],
    )
    await database.pool.query(
      `insert into payment_token_stats (gateway, span, start, token_mint, count, total, min, max)
       select gateway, 3600, start, $2, count, count * 4500000, 4500000, 4500000 ${values}
       on conflict do nothing`,
      [gateway.address, USDC],
    )
  }

  t.test('the first page tells what needs a look, and each figure leads to its list', async t => {
    await press(page, page.getByRole('link', { name: 'Overview', exact: true }))
    const verdict = page.getByRole('region', { name: 'Is all well?' })
    await verdict.getByText('2 issues need attention').waitFor()
    const findings = /1 endpoint is failing \(unreachable\): see its responses\s+1 payment is overdue/
    await holdsText(t, verdict, findings, 'what needs a look')
    for (const [name, path] of [
      ['Volume in 24 hours', '/payments'],
      ['Payments in 24 hours', '/payments'],
      ['New subscriptions in 24 hours', '/subscriptions'],
      ['Due in 7 days', '/revenue'],
      ['Overdue', '/customers?show=overdue'],
      ['Endpoints', '/endpoints'],
    ] as const) {
      await press(page, tileOf(page, name))
      await page.waitForURL(({ pathname, search }) => pathname + search === `/console${path}`)
      await press(page, page.getByRole('link', { name: 'Overview', exact: true }))
    }
    await holdsText(t, tileOf(page, 'Overdue'), /1 payment\s+nothing else is due now/, 'the same number')
    t.ok((await shiftOfFirstVisit(page)) < 0.05, 'nothing moves while the first visit of a phone is drawn')
    await fillDay()
    await page.reload()
    const figure = tileOf(page, 'Payments in 24 hours').locator('.figure')
    const ofDay = () => figure.innerText()
    const counted = (text: string) => Number(text.replace(',', ''))
    const before = counted(await awaitValue(ofDay, seen => counted(seen) > 1_000, 'the figures of the day'))
    const shown = (more: number) => new RegExp(`^${(before + more).toLocaleString('en-US')}$`)
    await publish(chain.pay(policy))
    await holdsText(t, figure, shown(1), 'a new payment')
    await page.getByRole('slider', { name: /^The last 24 hours/ }).waitFor()
    await takePicture('console-overview')
    await page.setViewportSize({ width: 390, height: 844 })
    await takePicture('console-phone')
    await page.setViewportSize(DESK)
    await checkPage(t, page, 'overview of a gateway')
    await press(page, page.getByRole('button', { name: 'All gateways' }))
    await page.waitForURL('**/console/?of=all')
    await holdsText(t, figure, shown(24), 'those of all gateways')
    await page.reload()
    await holdsText(t, figure, shown(24), 'the choice is kept in the address')
  })

  t.test('signed in, lists and links are mine, until everybody is chosen', async t => {
    const titles = page.getByRole('heading', { level: 1 })
    const others = page.locator('tbody tr', { hasText: 'busy-' })
    await press(page, page.getByRole('link', { name: 'All payments' }))
    await page.waitForURL('**/console/payments?of=all')
    await others.first().waitFor()
    await press(page, page.getByRole('button', { name: 'My gateway' }))
    await page.waitForURL('**/console/payments')
    await holdsText(t, titles, /^My payments$/, 'the title')
    await holdsCount(t, others, 0, 'no payment of another gateway')
    await page.locator('tbody tr').first().waitFor()
    await type(page, page.getByRole('searchbox'), `busy-1-${id}`)
    await page.keyboard.press('Enter')
    await page.getByText('Only payments of your gateway were searched.').waitFor()
    await press(page, page.getByRole('button', { name: 'All gateways' }))
    await others.first().waitFor()
    await press(page, page.getByRole('link', { name: 'Overview', exact: true }))
    await press(page, page.getByRole('link', { name: 'All my payments' }))
    await page.waitForURL('**/console/payments')
  })

  t.test('a sum that is cut is said to be at least so much', async t => {
    // More tokens than an answer holds, each with a payment that is due in six days.
    await database.pool.query(
      `insert into policies (address, live, status, gateway, recipient, user_payment, policy_id, policy_type, created_at, updated_at,
                             next_payment_due, due_at, token_mint)
       select 'cut ' || n, true, 'active', $1, 'r', 'u', n,
              '{"Subscription":{"amount":"1","auto_renew":true,"max_renewals":null,"next_payment_due":"1","padding":[],"payment_frequency":{"Monthly":null}}}',
              0, 0, at, at, 'mint ' || n
         from generate_series(1, 10001) n, (select extract(epoch from now())::bigint + 518400 as at) due`,
      [gateway.address],
    )
    await press(page, page.getByRole('link', { name: 'Overview', exact: true }))
    await page.reload()
    await holdsText(t, tileOf(page, 'Due in 7 days'), /at least[^]*at least [\d,]+ payments/, 'at least')
    await database.pool.query(`delete from policies where address like 'cut %'`)
    await page.reload()
    await holdsText(t, tileOf(page, 'Due in 7 days').locator('.figure'), /^[\d.]+ USDC\s*$/, 'the whole sum')
  })

  t.test('the headline names what will fail within two days, and what is underpaid', async t => {
    const verdict = page.getByRole('region', { name: 'Is all well?' })
    const { pool } = database
    await pool.query(
      `with account as (insert into token_accounts (address, slot, checked_at, is_there, owner, mint, balance, allowance, frozen, nodes)
                        values ('empty', 1, now(), true, 'nobody', $2, 0, 0, false, 1)),
            payer as (insert into user_payments (address, owner, token_mint, token_account) values ('poor', 'nobody', $2, 'empty'))
       insert into policies (address, live, status, gateway, recipient, user_payment, policy_id, policy_type, created_at, updated_at,
                             next_payment_due, due_at, token_mint)
       select 'poor ' || n, true, 'active', $1, 'r', 'poor', n,
              '{"Subscription":{"amount":"1","auto_renew":true,"max_renewals":null,"next_payment_due":"1","padding":[],"payment_frequency":{"Monthly":null}}}',
              0, 0, at, at, $2
         from generate_series(1, 3) n, lateral (select extract(epoch from now())::bigint + n * 80000 as at) due`,
      [gateway.address, USDC],
    )
    const [order, recipient] = [`part-${id}`, buildAddress('till')]
    await expectPayment(baseUrl, {
      token: await signIn(baseUrl, gateway),
      gateway: gateway.address,
      trackingId: order,
      recipient,
      tokenMint: USDC,
      amount: 5_000_000n,
    })
    const part = {
      gateway: gateway.address,
      trackingId: order,
      recipient,
      tokenMint: USDC,
      amount: 1_000_000n,
    }
    await publish(chain.payDirectly({ ...part, payer: buildAddress('buyer') }))
    const findings =
      /2 payments due within 2 days will fail as things stand\s+1 expected payment is underpaid/
    await page.reload()
    await holdsText(t, verdict, findings, 'of three, the last is due in three days')
    await press(page, verdict.getByRole('link', { name: /will fail/ }))
    await page
      .locator('#at-risk:target')
      .getByText(/does not let the program pay any more/)
      .first()
      .waitFor()
    await press(page, verdict.getByRole('link', { name: /underpaid/ }))
    await page.locator('tbody tr', { hasText: order }).getByText('underpaid').waitFor()
    await pool.query(`delete from policies where address like 'poor %'`)
    await press(page, page.getByRole('link', { name: 'Overview', exact: true }))
  })

  t.test('a page that is loading claims nothing', async t => {
    const hold = async (held: RegExp) => {
      let open = () => {}
      const opened = new Promise<void>(resolve => (open = resolve))
      await page.route(
        ({ pathname }) => held.test(pathname),
        async route => {
          await opened
          await route.continue()
        },
      )
      return () => open()
    }
    const openOwn = await hold(/\/merchant\/|\/webhooks|\/expectations|\/health$/)
    const openTokens = await hold(/\/token-mints/)
    await page.reload()
    await holdsCount(t, page.locator('.skeleton.figures > span'), 6, 'each figure is on its way')
    await holdsText(t, page.locator('.verdict'), /^Looking …$/, 'nothing is judged')
    await holdsCount(t, page.getByText('live', { exact: true }), 0, 'nor called live')
    t.notMatch(await page.locator('main').innerText(), /none|nothing else|0 |not /, 'nothing is said of them')
    openOwn()
    await holdsCount(
      t,
      tileOf(page, 'Volume in 24 hours').locator('.coming'),
      1,
      'an amount of no known token',
    )
    openTokens()
    await holdsCount(t, page.locator('main :is(.coming, .skeleton.figures)'), 0, 'all came')
    await page.unrouteAll({ behavior: 'wait' })
  })
}
