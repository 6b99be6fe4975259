// Browsers that keep nothing, and tracking IDs that begin and end with blanks. Last, as the payments here change all sums.
import type { Page } from 'playwright-core'
import { holdsCount, holdsText } from '../hold.js'
import type { Market } from '../open-market.js'
import t from 'tap'

export function testOddVisits({ id, baseUrl, publish, chain, gateway, payer, page }: Market): void {
  const errors: string[] = []
  const openStranger = async (prepare: (page: Page) => Promise<unknown>) => {
    const context = await page.context().browser()!.newContext()
    const stranger = await context.newPage()
    stranger.on('pageerror', error => errors.push(String(error)))
    await prepare(stranger)
    return stranger
  }

  t.test('the console was blank where the browser keeps nothing', async t => {
    const stranger = await openStranger(page =>
      page.addInitScript(() =>
        Object.defineProperty(window, 'localStorage', {
          get: () => {
            throw new DOMException('The operation is insecure.', 'SecurityError')
          },
        }),
      ),
    )
    for (const [path, heading] of [
      ['', 'Overview'],
      ['/payments', 'Payments'],
      ['/endpoints', 'Sign in as a gateway'],
    ] as const) {
      await stranger.goto(`${baseUrl}/console${path}`)
      await stranger.getByRole('heading', { name: heading, level: 1 }).waitFor()
      t.pass(heading)
    }
    await stranger.goto(`${baseUrl}/console/payments`)
    await stranger.getByRole('button', { name: 'Compact rows' }).click()
    await stranger.locator('html[data-density=compact]').waitFor()
    await stranger.getByRole('button', { name: 'Compact rows', pressed: true }).waitFor()
    t.pass('a choice lasts as long as the page')
    await stranger.context().close()
    t.same(errors, [], 'and the page has no error')
  })

  t.test('a tracking ID with blanks at its ends was not found', async t => {
    const trackingId = ` blank ${id}  `
    const policy = await chain.openPolicy(gateway, payer, { trackingId, amount: 1_000_000n })
    const payment = chain.pay(policy)
    await publish(policy.created, payment)
    const stranger = await openStranger(page => page.goto(`${baseUrl}/console/payments`))
    const rows = stranger.locator('tbody tr')
    const search = async (text: string) => {
      const field = stranger.getByRole('searchbox')
      await field.fill(text)
      await field.press('Enter')
    }
    await stranger.locator('tbody tr', { hasText: `blank ${id}` }).waitFor()
    await search(trackingId)
    await stranger.getByRole('heading', { name: /of “ blank/ }).waitFor()
    await holdsCount(t, rows, 1, 'in the payments')

    await stranger.goto(`${baseUrl}/console/subscriptions`)
    await stranger.getByLabel('Tracking ID', { exact: true }).fill(trackingId)
    await stranger.getByRole('button', { name: 'Look up' }).click()
    await holdsCount(t, rows, 1, 'in the subscriptions')

    await stranger.keyboard.press('Control+k')
    const box = stranger.getByRole('dialog', { name: 'Find anything' })
    await box.getByRole('textbox').fill(trackingId)
    await stranger.keyboard.press('Enter')
    await holdsCount(t, box.getByRole('link'), 2, 'in the box that finds anything')
    await box.getByRole('textbox').fill(` ${payment.signature}\t`)
    await stranger.keyboard.press('Enter')
    await stranger.waitForURL(`**/payments/${payment.signature}`)
    t.pass('and a signature that was pasted with blanks')

    await stranger.goto(`${baseUrl}/console/payments`)
    await search(` ${payer.owner} `)
    await holdsText(t, stranger.locator('main'), /policies that this key pays/, 'and so is an address')
    await stranger.goto(`${baseUrl}/console/payments?q=order-${id}+`)
    await stranger.getByRole('button', { name: 'Search without the spaces around it' }).click()
    await rows.first().waitFor()
    t.pass('blanks by mistake')
    await stranger.context().close()
    t.same(errors, [], 'and the page has no error')
  })
}
