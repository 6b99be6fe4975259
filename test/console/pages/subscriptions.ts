// The look-up of subscriptions, and the page of one.
import { checkPage } from '../check-page.js'
import { holdsCount, holdsText } from '../hold.js'
import { press } from '../walk-by-keyboard.js'
import t from 'tap'
import { USDC, type Market } from '../open-market.js'

/** As a stranger. */
export function testSubscriptions({
  gateway,
  payer,
  trackingId,
  policy,
  page,
  go,
  takePicture,
}: Market): void {
  t.test('subscriptions are found by every lookup, with state, history and due dates', async t => {
    for (const query of [
      `by=trackingId&value=${trackingId}`,
      `by=userPublicKey&value=${payer.owner}`,
      `by=recipient&value=${policy.recipient}`,
      `by=gatewayPublicKey&value=${gateway.address}`,
      `by=walletPublicKey&value=${payer.owner}&mint=${USDC}`,
    ]) {
      await go(`/subscriptions?${query}`)
      await page.locator('tbody tr').first().waitFor()
      await holdsText(t, page.locator('tbody tr').first(), /active[^]*upcoming/, query)
    }
    await checkPage(t, page, 'subscriptions')
    await press(page, page.locator('tbody a').first())
    await page.getByRole('heading', { name: 'Due next' }).waitFor()
    await page.locator('.dates li').nth(3).waitFor()
    await page.locator('.month .due').first().waitFor()
    t.pass('the months mark the days')
    await page.getByRole('region', { name: 'Payments of the subscription' }).waitFor()
    await holdsCount(t, page.locator('tbody tr'), 3, 'its payments')
    await takePicture('console-subscription')
    await checkPage(t, page, 'subscription')
  })
}
