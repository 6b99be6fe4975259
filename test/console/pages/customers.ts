// The customers of a gateway.
import t from 'tap'
import { checkPage } from '../check-page.js'
import { holdsText } from '../hold.js'
import type { Market } from '../open-market.js'
import { goByTab, press, type } from '../walk-by-keyboard.js'

/** Signed in. */
export function testCustomers({ id, trackingId, page, button }: Market): void {
  // The page of revenue made the payer late with a policy.
  t.test('two steps lead from who did not pay to the reason', async t => {
    await press(page, page.getByRole('link', { name: 'Customers' }))
    await page.getByRole('heading', { name: 'Customers' }).waitFor()
    await page.locator('tbody tr').first().waitFor()
    await checkPage(t, page, 'customers')
    await press(page, page.getByRole('link', { name: 'Overdue', exact: true }))
    await page.waitForURL(/customers\?show=overdue$/)
    await holdsText(t, page.locator('main'), /overdue/, 'the state')
    await press(page, page.locator('tbody .row-link').first())
    await page.getByRole('heading', { name: 'Activity' }).waitFor()
    await holdsText(
      t,
      page.locator('.timeline'),
      new RegExp(`Overdue[^]*late-${id}[^]*not paid within the grace period`),
      'the reason',
    )
    await holdsText(t, page.locator('.timeline'), /Subscribed/, 'and how it began')
    await checkPage(t, page, 'a customer')
  })

  t.test('a customer has the name that its gateway gives, and the list has it', async t => {
    await type(page, page.getByLabel('Name', { exact: true }), 'Café Krone')
    await page.keyboard.press('Enter')
    await page.getByText('Saved.').waitFor()
    await page.getByRole('heading', { name: 'Café Krone' }).waitFor()
    await checkPage(t, page, 'a customer with a name')
    await press(page, page.getByRole('link', { name: 'All customers' }))
    await type(page, page.getByRole('searchbox', { name: 'Name, wallet or tracking ID' }), 'café')
    await page.keyboard.press('Enter')
    await page.waitForURL(/q=caf/)
    await press(page, page.getByRole('link', { name: 'Café Krone' }))
    await page.getByRole('heading', { name: 'Café Krone' }).waitFor()
  })

  t.test('who paid is listed in the order that one chooses, with what is due', async t => {
    await press(page, page.getByRole('link', { name: 'Customers', exact: true }))
    const rows = page.locator('tbody tr')
    await rows.first().waitFor()
    await holdsText(t, page.locator('tbody'), /one-time/, 'who bought without a subscription')
    await holdsText(t, page.locator('tbody'), /2\.00\s+USDC\s+2 days ago/, 'what is due')
    await goByTab(page, page.getByRole('combobox', { name: 'Order' }))
    await page.keyboard.type('Most paid')
    await page.waitForURL(/customers\?sort=paid$/)
    await holdsText(t, rows.first(), /Café Krone/, 'who paid most')
    await checkPage(t, page, 'customers in order')
    await press(page, rows.first().getByRole('link'))
    await page.getByRole('heading', { name: 'Activity' }).waitFor()
  })

  t.test('a tracking ID finds its customer', async t => {
    await press(page, page.getByRole('link', { name: 'All customers' }))
    const field = page.getByRole('searchbox', { name: 'Name, wallet or tracking ID' })
    await type(page, field, trackingId)
    await press(page, button('Search'))
    await page.waitForURL(/q=/)
    await press(page, page.locator('tbody .row-link').first())
    await page.locator('.timeline li').first().waitFor()
    await holdsText(
      t,
      page.locator('.timeline'),
      /Paid[^]*12\.50[^]*payment\.executed|Paid[^]*12\.50/,
      'what was paid',
    )
  })
}
