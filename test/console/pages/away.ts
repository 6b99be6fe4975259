// The console while its network or its live connection is away, and while a sign-in ends.
import { waitFor } from '@payment-tracking/testkit'
import type { WebSocketRoute } from 'playwright-core'
import t from 'tap'
import { signIn } from '../../chaos/load/receivers.js'
import { findFaults } from '../check-page.js'
import { holdsCount } from '../hold.js'
import type { Market } from '../open-market.js'
import { press, type } from '../walk-by-keyboard.js'

export function testAway({
  page,
  go,
  field,
  publish,
  chain,
  policy,
  gateway,
  baseUrl,
  database,
}: Market): void {
  const rows = page.locator('tbody tr')
  /** The count of rows once no more are added: a long list is drawn in steps. */
  const drawn = async () => {
    let last = -1
    const isWhole = async () => last === (last = await rows.count()) && last > 0
    await waitFor(isWhole, { what: 'the whole list', intervalMs: 300 })
    return last
  }

  t.test('a network that is away is said quietly, and the page goes on by itself', async t => {
    await go('/payments')
    await rows.first().waitFor()
    const known = await drawn()
    await page.context().setOffline(true)
    const note = page.getByText(/^Offline: showing data from/)
    await note.waitFor()
    await holdsCount(t, rows, known, 'what is known stays')
    t.same(await findFaults(page), [], 'the note is accessible')
    await page.context().setOffline(false)
    await note.waitFor({ state: 'detached' })
  })

  t.test('a live connection that is away is said, and what was missed appears when it is back', async t => {
    let isAway = false
    const open = new Set<WebSocketRoute>()
    await page.routeWebSocket(/\/v1\/events\/stream/, async socket => {
      if (isAway) return socket.close()
      socket.connectToServer()
      open.add(socket)
    })
    await go('/payments')
    await page.getByText('live', { exact: true }).waitFor()
    isAway = true
    for (const socket of open) await socket.close()
    await page.getByText('reconnecting', { exact: true }).waitFor()
    const known = await drawn()
    await publish(chain.pay(policy))
    isAway = false
    await page.getByText('live', { exact: true }).waitFor()
    await holdsCount(t, rows, known + 1, 'what was missed')
  })

  t.test('rows stay where somebody aims at one, and new ones wait', async t => {
    await go('/payments')
    await page.getByText('live', { exact: true }).waitFor()
    const [before, links] = [await drawn(), page.locator('tbody .row-link')]
    const aimed = await links.first().getAttribute('href')
    const waiting = (count: number) => page.getByRole('button', { name: `Show ${count} new` })
    await links.first().hover()
    await publish(chain.pay(policy))
    await waiting(1).waitFor()
    await publish(chain.pay(policy))
    await waiting(2).waitFor()
    t.equal(await links.first().getAttribute('href'), aimed, 'the row under the mouse is the same')
    t.same(await findFaults(page), [], 'the button is accessible')
    await waiting(2).click()
    await holdsCount(t, rows, before + 2, 'what waited')
    await page.mouse.move(0, 0)
    await publish(chain.pay(policy))
    await holdsCount(t, rows, before + 3, 'nobody aims: at once')

    const newest = await links.first().getAttribute('href')
    await page.locator('.live-table .scroll').focus()
    await page.keyboard.press('Tab')
    await publish(chain.pay(policy))
    await waiting(1).waitFor()
    await page.keyboard.press('Tab')
    t.equal(await links.first().getAttribute('href'), newest, 'rows stay under the keyboard')
    await page.evaluate(() => (document.activeElement as HTMLElement).blur())
    await holdsCount(t, rows, before + 4, 'once the keyboard has left')
  })

  t.test('a session that ends is said before, and the next one leads back to the page', async t => {
    await page.clock.install()
    await go(`/keys?gateway=${gateway.address}`)
    await type(page, field('API key or token'), await signIn(baseUrl, gateway))
    await press(page, page.getByRole('button', { name: 'Sign in', exact: true }))
    await field('Name').waitFor()
    const warning = page.getByText(/^The session ends in/)
    await page.clock.fastForward('11:00')
    t.equal(await warning.count(), 0, 'four minutes before, nothing is said')
    await page.clock.fastForward('01:30')
    await warning.waitFor()
    t.same(await findFaults(page), [], 'the warning is accessible')
    await database.pool.query('update gateway_sessions set ends_at = now()')
    await page.clock.fastForward('01:00')
    await page.getByText(/^You are signed out/).waitFor()
    await press(page, page.getByRole('button', { name: 'Sign in with Test Wallet' }))
    await field('Name').waitFor()
    t.match(page.url(), /\/console\/keys/, 'the page that was open goes on')
  })
}
