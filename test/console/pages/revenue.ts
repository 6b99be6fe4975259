// The revenue of a gateway.
import { buildChain, waitFor } from '@payment-tracking/testkit'
import { checkPage } from '../check-page.js'
import { holdsAttribute, holdsCount, holdsText } from '../hold.js'
import { goByTab, press } from '../walk-by-keyboard.js'
import t from 'tap'
import { USDC, type Market } from '../open-market.js'

/** Signed in. */
export function testRevenue({
  id,
  baseUrl,
  publish,
  chain,
  gateway,
  payer,
  page,
  takePicture,
  button,
}: Market): void {
  t.test('the gateway sees its revenue, and takes it away as CSV', async t => {
    const late = {
      trackingId: `late-${id}`,
      amount: 2_000_000n,
      nextPaymentDue: Math.floor(Date.now() / 1_000) - 172_800,
    }
    // Two subscribed before the 30 days that the page shows, and one of them has left since.
    const past = buildChain({
      seed: `${id}/past`,
      firstSlot: 300_000_000,
      now: () => Date.now() - 3_456_000_000,
    })
    for (const ends of [true, false]) {
      const wallet = await past.openUserPayment(USDC)
      const terms = { trackingId: `old-${id}`, nextPaymentDue: Math.floor(Date.now() / 1_000) + 86_400 }
      const old = await past.openPolicy(gateway, wallet, terms)
      await publish(wallet.created, old.created, ...(ends ? [chain.deletePolicy(old)] : []))
    }
    await publish((await chain.openPolicy(gateway, payer, late)).created)
    // Revenue ends before the second in which it is asked for.
    const leftAtMs = Date.now()
    await waitFor(() => Math.floor(Date.now() / 1_000) > Math.floor(leftAtMs / 1_000))
    await waitFor(async () => {
      const { data } = (await (await fetch(`${baseUrl}/v1/subscriptions?trackingId=late-${id}`)).json()) as {
        data: unknown[]
      }
      return data.length === 1
    })
    const asked = page.waitForRequest(/\/merchant\/revenue\?.*bucket=day/)
    await press(page, page.getByRole('link', { name: 'Revenue' }))
    const startTime = new URL((await asked).url()).searchParams.get('startTime')!
    t.equal(Date.parse(startTime) % 86_400_000, 0, 'the first day is a whole one')
    await page.getByText('USDC a day, UTC').waitFor()
    await holdsText(t, page.locator('main'), /53\.00 USDC\s+in 5\s+payments/, 'the sum')
    const overdue = page.getByRole('region', { name: 'Due and not paid', exact: true })
    await overdue.getByText(`late-${id}`).waitFor()
    const figures =
      /active subscriptions\s+3\s+overdue\s+1 payment\s[^]*churn over 30 days\s+1 of 2 subscribers\s+not known before$/i
    await holdsText(t, page.locator('.figures').first(), figures, 'the subscriptions')
    await overdue.getByText(/of them 2\.00 USDC in 1 payment\s+overdue/).waitFor()
    const word = page.locator('.figures dfn', { hasText: 'Overdue' })
    await goByTab(page, word)
    const meaning = word.getByRole('tooltip')
    await meaning.waitFor()
    await holdsText(t, meaning, /^Due and not paid, and past its date by more than the grace/, 'the meaning')
    await page.keyboard.press('Escape')
    await meaning.waitFor({ state: 'hidden' })
    await page.locator('.chart canvas').nth(3).waitFor()
    await holdsCount(
      t,
      page.locator('.chart .bounds'),
      await page.locator('.chart').count(),
      'on every chart',
    )
    const volume = page.getByRole('slider', { name: /^Volume/ })
    await goByTab(page, volume)
    await holdsAttribute(t, volume, 'aria-valuetext', /, volume 53\.00 USDC$/, 'today comes first')
    await page.keyboard.press('ArrowLeft')
    await holdsAttribute(t, volume, 'aria-valuetext', /, volume 0\.00 USDC$/, 'the day before by a key')
    const going = page.getByRole('slider', { name: /^Subscribers who joined and left: 2 now/ })
    await holdsAttribute(t, going, 'aria-valuetext', /, joined 1, left 1$/, 'who came and left')
    // Nothing is known of all 30 days before these; of 7 it is, and while it is asked for nothing is claimed.
    let open = () => {}
    const opened = new Promise<void>(resolve => (open = resolve))
    const isBefore = (url: URL) => url.searchParams.get('bucket') === 'month'
    await page.route(isBefore, async route => {
      await opened
      await route.continue()
    })
    const askedBefore = page.waitForRequest(request => isBefore(new URL(request.url())))
    await page.getByRole('combobox', { name: 'Period' }).focus()
    await page.keyboard.type('7')
    await page.waitForURL(/days=7$/)
    const before = new URL((await askedBefore).url()).searchParams
    t.equal(Date.parse(before.get('startTime')!) % 86_400_000, 0, 'the span before begins with a day too')
    await holdsCount(t, page.locator('.before .coming'), 2, 'what was before is on its way')
    open()
    await holdsText(
      t,
      page.locator('main'),
      /53\.00 USDC\s+in 5\s+payments before: 0\.00 USDC\s+in 0/,
      'the volume of the week before',
    )
    await holdsText(
      t,
      page.locator('.figures').first(),
      /churn over 7 days\s+1 of 2 subscribers\s+before: 0 of 2 subscribers$/i,
      'and who left then',
    )
    const chosen = page.waitForEvent('download')
    await press(page, button('Payments'))
    const download = await chosen
    const [first, last] = [6, 0].map(days =>
      new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10),
    )
    t.equal(download.suggestedFilename(), `payments-${gateway.address}-${first}-${last}.csv`, 'its days')
    await goByTab(page, page.getByRole('combobox', { name: 'Days of the export (UTC)' }))
    await page.keyboard.type('This')
    await page.waitForURL(/export=this-month/)
    const asMonth = page.waitForEvent('download')
    await press(page, button('Series'))
    t.match((await asMonth).suggestedFilename(), `series-${gateway.address}-${last!.slice(0, 7)}-01-${last}`)
    // The download's button is at the end of the page, the charts at its beginning.
    await page.evaluate(() => globalThis.scrollTo(0, 0))
    await takePicture('console-revenue')
    await checkPage(t, page, 'revenue')
  })
}
