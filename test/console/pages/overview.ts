// The first page: is all well?
import { checkPage, DESK } from '../check-page.js'
import { awaitValue, holdsText } from '../hold.js'
import { press } from '../walk-by-keyboard.js'
import t from 'tap'
import { USDC, type Market } from '../open-market.js'

/** Nobody is signed in. */
export function testOverviewOfStranger({ page, go }: Market): void {
  t.test('a stranger sees how things stand, and what a sign-in would add', async t => {
    await go('/')
    await page.getByText('All is well').waitFor()
    await page.locator('.chart canvas').waitFor()
    const figureOf = (name: string) => page.locator('.tile', { hasText: name }).locator('.figure')
    // On a slow machine the minute of the two payments can be over.
    await holdsText(t, figureOf('Payments in the last minute'), /^[0-2]$/, 'the last minute')
    await holdsText(t, figureOf('From the chain to sockets'), /^[\d.]+ (m?s|min)$/, 'the delay')
    await holdsText(t, figureOf('Volume in 24 hours'), /25\.00 USDC/, 'the volume')
    await holdsText(t, figureOf('Due, overdue, endpoints'), /^Sign in$/, 'what a sign-in adds')
    await holdsText(t, page.locator('.tiles'), /\b2 in the last 24 hours/, 'the day')
    const readTitle = () => page.title()
    await awaitValue(readTitle, seen => seen === 'Overview · Payment tracking', 'production needs no name')
    await checkPage(t, page, 'overview of a stranger')
  })

  t.test('light or dark is by the system until somebody chooses', async t => {
    const background = () =>
      page.evaluate(() => getComputedStyle(document.body.parentElement!).backgroundColor)
    const light = await background()
    const colours = page.getByRole('combobox', { name: 'Colours' })
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
  database,
  publish,
  chain,
  gateway,
  policy,
  page,
  takePicture,
}: Market): void {
  /** Sums of the hours before this one, as a day of business leaves them: the events themselves would count as late ones.
   * An hour that ended while the test ran has sums already. */
  async function fillDay() {
    const values = `from (values ($1), ('')) gateways (gateway), generate_series(1, 23) n,
        lateral (select date_trunc('hour', now()) - n * interval '1 hour' as start, 90 + (n * 37) % 61 - 3 * n as count) hour`
    await database.pool.query(
      `insert into payment_stats (gateway, span, start, count) select gateway, 3600, start, count ${values}
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
    await verdict.getByText('2 things need a look').waitFor()
    const findings = /1 endpoint fails: see what it answers\s+1 payment is past the due date/
    await holdsText(t, verdict, findings, 'what needs a look')
    for (const [name, path] of [
      ['Payments in the last minute', '/payments'],
      ['Volume in 24 hours', '/revenue'],
      ['Due in 7 days', '/revenue'],
      ['Past the due date', '/revenue'],
      ['webhooks of this gateway', '/endpoints'],
    ] as const) {
      await press(page, page.locator('.tile', { hasText: name }))
      await page.waitForURL(`**/console${path}`)
      await press(page, page.getByRole('link', { name: 'Overview', exact: true }))
    }
    await fillDay()
    await page.reload()
    // The page can show the figures of all gateways for a moment; the 23 hours of the day are there in the end.
    const ofDay = () =>
      page
        .getByText(/in the last 24 hours$/)
        .first()
        .innerText()
    const counted = (text: string) => Number(/^[\d,]+/.exec(text)?.[0].replace(',', ''))
    const before = counted(await awaitValue(ofDay, seen => counted(seen) > 1_000, 'the figures of the day'))
    const shown = (more: number) => (before + more).toLocaleString('en-US')
    await publish(chain.pay(policy))
    await page.getByText(`${shown(1)} in the last 24 hours`).waitFor()
    await page.getByRole('slider', { name: /^The last 24 hours/ }).waitFor()
    await takePicture('console-overview')
    await page.setViewportSize({ width: 390, height: 844 })
    await takePicture('console-phone')
    await page.setViewportSize(DESK)
    await checkPage(t, page, 'overview of a gateway')
    await press(page, page.getByRole('button', { name: 'All gateways' }))
    await page.getByText(`${shown(24)} in the last 24 hours`).waitFor()
  })
}
