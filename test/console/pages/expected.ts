// What a gateway expects to be paid: the form, and the keys of all pages.
import t from 'tap'
import { checkPage, findFaults } from '../check-page.js'
import { awaitValue, holdsCount, holdsText } from '../hold.js'
import type { Market } from '../open-market.js'
import { press, type } from '../walk-by-keyboard.js'

/** Signed in. */
export function testExpected({ database, policy, page, field, button }: Market): void {
  t.test('an expected payment is written in units of its token, with all faults at once', async t => {
    await press(page, page.getByRole('link', { name: 'Expected', exact: true }))
    await press(page, button('New expected payment'))
    const recipient = field('Recipient')
    const proposed = await awaitValue(() => recipient.inputValue(), Boolean, 'the recipient')
    t.equal(proposed, policy.recipient, 'whom the newest payment paid')
    await type(page, field('Amount in USDC'), '4.5000001')
    await press(page, button('Create'))
    await holdsCount(t, page.locator('[aria-invalid]'), 2, 'the tracking ID and the amount')
    t.same(await findFaults(page), [], 'axe finds no fault')
    await type(page, field('Tracking ID (the payer’s memo)'), 'cart-17')
    await type(page, field('Amount in USDC'), '4.50')
    await press(page, button('Create'))
    await holdsText(t, page.getByRole('status').filter({ hasText: 'Created' }), /cart-17 is open/, 'made')
    const { rows } = await database.pool.query<{ amount: string }>(
      `delete from expectations where tracking_id = 'cart-17' returning amount`,
    )
    t.same(rows, [{ amount: '4500000' }], 'to the smallest unit')
    await page.reload()
    await page.getByText('No expected payments').waitFor()
    await holdsCount(t, button('Older'), 0, 'no pager below an empty list')
    await checkPage(t, page, 'no expected payments')
  })

  t.test('keys lead to pages and rows, and a page tells them', async t => {
    await press(page, page.getByRole('link', { name: 'Overview', exact: true }))
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.keyboard.press('?')
    const keys = page.getByRole('dialog', { name: 'Keys' })
    await holdsText(t, keys, /j and k[^]*g p/, 'the keys')
    t.same(await findFaults(page), [], 'axe finds no fault')
    await page.keyboard.press('Escape')
    await page.keyboard.press('g')
    await page.keyboard.press('p')
    await page.waitForURL('**/console/payments')
    await page.locator('tbody tr').nth(1).waitFor()
    const isFocused = (row: number) =>
      page
        .locator('tbody .row-link')
        .nth(row)
        .evaluate(link => link === document.activeElement)
    for (const [key, row] of [
      ['j', 0],
      ['j', 1],
      ['k', 0],
    ] as const) {
      await page.keyboard.press(key)
      t.ok(await awaitValue(() => isFocused(row), Boolean, `row ${row}`), `${key}: row ${row}`)
    }
    await page.keyboard.press('Enter')
    await page.waitForURL(/payments\/.{80,}/)
  })
}
