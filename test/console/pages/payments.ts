// The payments, the search, and the page of one payment.
import { readFileSync } from 'node:fs'
import { buildAddress, waitFor } from '@payment-tracking/testkit'
import { checkPage, findFaults } from '../check-page.js'
import { holdsAttribute, holdsCount, holdsText } from '../hold.js'
import { goByTab, press, type } from '../walk-by-keyboard.js'
import t from 'tap'
import { USDC, type Market } from '../open-market.js'

/** Generous, for a machine that is busy: a quiet one takes a fraction of it. The times are printed. */
const INTERACTIVE_MS = 8_000

/** As a stranger. */
export function testPayments({
  id,
  baseUrl,
  publish,
  chain,
  gateway,
  payer,
  trackingId,
  policy,
  first,
  page,
  go,
  timeFirstVisit,
  takePicture,
}: Market): void {
  t.test('the payments appear at once, and a new one without a reload', async t => {
    // Whatever else this machine does only adds to the time: the page is fast enough if it was once.
    const times: number[] = []
    while (times.length < 3 || (Math.min(...times) > INTERACTIVE_MS && times.length < 20))
      times.push(
        await timeFirstVisit('/payments', async first => {
          await first.locator('tbody tr').nth(1).waitFor()
          await first.getByText('live', { exact: true }).waitFor()
          await first.getByRole('searchbox').focus()
        }),
      )
    const shown = times.map(Math.round).join(', ')
    console.error(`first visits: payments, live and a field to search after ${shown} ms`)
    t.ok(Math.min(...times) <= INTERACTIVE_MS, 'interactive within the budget')
    await go('/payments')
    // The line can be live before the first rows have come.
    await page.getByText('live', { exact: true }).waitFor()
    await page.locator('tbody tr').nth(1).waitFor()
    await holdsCount(t, page.locator('tbody tr'), 2, 'both payments')
    await holdsText(t, page.locator('tbody tr').first(), /12\.50 USDC/, 'the amount')
    const amount = page.locator('tbody .amount').first()
    await holdsAttribute(t, amount, 'title', /^12500000 of the smallest/, 'the exact amount')
    await publish(chain.pay(policy))
    await page.locator('tbody tr').nth(2).waitFor()
    const exact = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/
    await holdsAttribute(
      t,
      page.locator('tbody time').first(),
      'title',
      exact,
      'the time in UTC is there too',
    )
    await takePicture('console-payments')
    await checkPage(t, page, 'payments')
  })

  t.test('payments are found by tracking ID, signature, payer and recipient', async t => {
    for (const text of [trackingId, payer.owner, policy.recipient]) {
      await go('/payments')
      await type(page, page.getByRole('searchbox'), text)
      await page.keyboard.press('Enter')
      await page.locator('tbody tr').nth(2).waitFor()
      await page.waitForURL(`**q=${text}`)
    }
    const direct = { payer: buildAddress(`payer ${id}`), recipient: buildAddress(`shop ${id}`) }
    const terms = {
      gateway: gateway.address,
      tokenMint: USDC,
      amount: 3_000_000n,
      trackingId: `direct-${id}`,
    }
    const transfer = chain.payDirectly({ ...terms, ...direct })
    await publish(transfer)
    await waitFor(async () => (await fetch(`${baseUrl}/v1/onetime/direct-${id}`)).ok)
    for (const text of [direct.payer, direct.recipient]) {
      await go(`/payments?q=${text}`)
      await page.getByText('3.00 USDC').waitFor()
      await holdsCount(t, page.locator('tbody tr'), 1, 'a payment without a policy')
    }
    await type(page, page.getByRole('searchbox'), first.signature)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Timeline' }).waitFor()
    await page.waitForURL(`**/payments/${first.signature}`)
  })

  t.test('payments of more policies than one check reads are all found, by keyboard', async t => {
    const [shop, busy] = [await chain.openGateway('Busy'), await chain.openUserPayment(USDC)]
    const policies = await Promise.all(
      Array.from({ length: 23 }, (_, n) =>
        chain.openPolicy(shop, busy, { trackingId: `busy-${n}-${id}`, amount: 1_000_000n }),
      ),
    )
    await publish(shop.created, busy.created, ...policies.flatMap(each => [each.created, chain.pay(each)]))
    await waitFor(async () => (await fetch(`${baseUrl}/v1/onetime/busy-22-${id}`)).ok)
    await go(`/payments?q=${busy.owner}`)
    await page.getByText('those of 20 of 23 policies').waitFor()
    await holdsCount(t, page.locator('tbody tr'), 20, 'those of one check')
    await press(page, page.getByRole('button', { name: 'Load 3 more policies' }))
    await page.getByText('those of 23 of 23 policies').waitFor()
    await holdsCount(t, page.locator('tbody tr'), 23, 'all')
    await holdsCount(t, page.getByRole('button', { name: /Load/ }), 0, 'nothing more to read')
    t.same(await findFaults(page), [], 'axe finds no fault')
  })

  t.test('a payment is traced, and compared with what was expected', async t => {
    await go(`/payments/${first.signature}`)
    const trace = page.getByRole('region', { name: 'Timeline' })
    await trace.waitFor()
    await holdsText(t, trace, /Executed on the chain[^]*Stored[^]*Announced[^]*Finalized/, 'the way')
    const check = async (amount: string) => {
      await type(page, page.getByLabel('Minimum amount in USDC'), amount)
      await press(page, page.getByRole('button', { name: 'Check' }))
    }
    await type(page, page.getByLabel('Recipient'), policy.recipient)
    await type(page, page.getByLabel('Token mint'), USDC)
    await check('12.50')
    await page.getByText('paid', { exact: true }).nth(1).waitFor()
    await check('12.500001')
    await page.getByText('not paid').waitFor()
    await page
      .getByText(/amount is 12\.50 USDC, not 12\.500001 USDC/)
      .first()
      .waitFor()
    await takePicture('console-payment')
    await checkPage(t, page, 'payment')
  })
}

/** Signed in; ends on the page of endpoints. */
export function testOwnPayments({ id, gateway, page, button }: Market): void {
  t.test('own payments are filtered, summed up and exported as they are shown, by keyboard', async t => {
    const shown = page.getByRole('region', { name: 'Filtered payments', exact: true }).first()
    const rows = page.locator('tbody tr')
    const choose = async (name: string, title: string) => {
      await goByTab(page, page.getByRole('combobox', { name }))
      await page.keyboard.type(title)
    }
    await press(page, page.getByRole('link', { name: 'Payments', exact: true }))
    await page.getByRole('heading', { name: 'My payments' }).waitFor()
    const all = /40\.50\s+USDC\s+in 4 payments, all time/
    await holdsText(t, page.locator('main'), all, 'the sums before one filters')
    await press(page, page.getByText('Filter and sort'))
    await choose('Token', 'USDC')
    await page.waitForURL(`**/payments?token=${USDC}`)
    await holdsText(t, shown, /40\.50 USDC in 4 payments/, 'the sum of all')
    await type(page, page.getByLabel('Amount to'), '3.00')
    await holdsText(t, shown, /3\.00 USDC in 1 payment\s/, 'the sum of some')
    await holdsCount(t, rows, 1, 'and their rows')
    await checkPage(t, page, 'filtered payments')
    const chosen = page.waitForEvent('download')
    await press(page, button('Export CSV'))
    const download = await chosen
    t.equal(
      download.suggestedFilename(),
      `payments-${gateway.address}-${new Date().toISOString().slice(0, 10)}.csv`,
    )
    const lines = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\r\n')
    t.equal(lines.length, 2, 'the file has what the page shows')
    t.match(lines[1], /,3,USDC,6,,,,$/, 'with the amount as people read it')
    await page.reload()
    await holdsCount(t, rows, 1, 'the filter is kept in the address')
    const day = new Date().toISOString().slice(0, 10)
    const asked = page.waitForRequest(request => new URL(request.url()).searchParams.has('startTime'))
    await page.getByLabel('From (UTC)').fill(day)
    t.equal(new URL((await asked).url()).searchParams.get('startTime'), day, 'a whole day of UTC')
    await holdsCount(t, rows, 1, 'of today')
    await choose('Status', 'Final')
    await page.getByText('No payment was found').waitFor()
    await press(page, button('Clear filters'))
    await page.waitForURL('**/console/payments')
    await type(page, page.getByRole('searchbox'), `direct-${id.slice(0, 3)}`)
    await page.keyboard.press('Enter')
    await holdsText(t, shown, /3\.00 USDC in 1 payment\s/, 'a tracking ID by its beginning')
    await rows
      .first()
      .locator('td')
      .first()
      .click({ position: { x: 4, y: 4 } })
    await page.getByRole('heading', { name: 'Timeline' }).waitFor()
    t.pass('the whole row leads to its payment')
    await press(page, page.getByRole('link', { name: 'Endpoints' }))
  })
}
