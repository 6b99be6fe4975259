// Who changed what.
import t from 'tap'
import { checkPage } from '../check-page.js'
import { holdsText } from '../hold.js'
import type { Market } from '../open-market.js'
import { press } from '../walk-by-keyboard.js'

/** Signed in, after the endpoints were changed. */
export function testChanges({ page, gateway }: Market): void {
  t.test('the page of activity says who changed what', async t => {
    await press(page, page.getByRole('link', { name: 'Activity' }))
    await page.getByRole('heading', { name: 'Activity' }).waitFor()
    const table = page.getByRole('region', { name: 'Changes' })
    const row = (text: string) => table.locator('tbody tr', { hasText: text }).first()
    await row('Secret rotated').waitFor()
    for (const text of ['Endpoint created', 'Endpoint activated', 'Endpoint deactivated'])
      await row(text).waitFor()
    const { publicKey } = gateway.authority
    const author = new RegExp(`${publicKey.slice(0, 4)}…${publicKey.slice(-4)}`)
    await holdsText(t, row('Endpoint changed'), author, 'who')
    await holdsText(t, row('Endpoint changed'), /description/, 'and which fields')
    await checkPage(t, page, 'activity')
  })
}
