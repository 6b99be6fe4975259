// The box that finds anything, filters that stand in the address, and lists that are saved by name; by keyboard alone.
import type { Page } from 'playwright-core'
import t from 'tap'
import { checkWidths, findFaults } from '../check-page.js'
import { awaitValue, holdsAttribute, holdsCount, holdsText } from '../hold.js'
import type { Market } from '../open-market.js'
import { goByTab, press, type } from '../walk-by-keyboard.js'

/** It reads from right to left, and a part of it is not seen. */
const HOSTILE = 'hidden order \u202e\u200b7'
const SHOWN = /hidden order \\u\{202e\}\\u\{200b\}7/

const boxOf = (page: Page) => page.getByRole('dialog', { name: 'Find anything' })

const short = (address: string) => `${address.slice(0, 4)}…${address.slice(-4)}`

/** Opens the box by a key, and asks. */
async function find(page: Page, text: string, key = 'Control+k'): Promise<void> {
  await page.keyboard.press(key)
  const field = boxOf(page).getByRole('textbox')
  await field.waitFor()
  await awaitValue(() => field.evaluate(element => element === document.activeElement), Boolean, 'the focus')
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText(text)
  await page.keyboard.press('Enter')
}

/** Follows the first that was found. */
async function follow(page: Page): Promise<void> {
  const hit = boxOf(page).getByRole('link').first()
  await awaitValue(() => hit.evaluate(each => each === document.activeElement), Boolean, 'the first')
  await page.keyboard.press('Enter')
}

/** As a stranger. */
export function testFindOfStranger({ trackingId, policy, payer, first, page, go }: Market): void {
  t.test('a stranger finds what is public from any page, and is told what can be found', async t => {
    await go('/subscriptions')
    await page.getByRole('heading', { name: 'Subscriptions' }).waitFor()
    await find(page, first.signature, '/')
    await page.waitForURL(`**/payments/${first.signature}`)
    await holdsCount(t, boxOf(page), 0, 'the box is closed')
    await find(page, payer.owner)
    await page.waitForURL(`**/payments?q=${payer.owner}`)

    await find(page, trackingId)
    const hits = boxOf(page).getByRole('link')
    await holdsCount(t, hits, 2, 'its payments and its subscription')
    t.same(await findFaults(page), [], 'axe finds no fault in the box')
    await checkWidths(t, page, 'the box')
    await awaitValue(
      () => hits.first().evaluate(each => each === document.activeElement),
      Boolean,
      'the first',
    )
    for (let count = await hits.count(); count > 0; count--) {
      const text = await page.evaluate(() => document.activeElement?.textContent ?? '')
      if (text.startsWith('Subscription')) break
      await page.keyboard.press('ArrowDown')
    }
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/subscriptions/${policy.address}`)

    await find(page, 'nothing like this')
    await holdsText(t, boxOf(page), /No results[^]*A signature, a tracking ID[^]*Sign in/, 'what can be')
    t.same(await findFaults(page), [], 'axe finds no fault')
    await page.keyboard.press('Escape')
    await holdsCount(t, boxOf(page), 0, 'closed')
  })

  t.test('a slash in a field is a letter', async t => {
    await go('/payments')
    const field = page.getByRole('searchbox')
    await goByTab(page, field)
    await page.keyboard.press('/')
    t.equal(
      await awaitValue(
        () => field.inputValue(),
        text => text !== '',
        'the letter',
      ),
      '/',
    )
    await holdsCount(t, boxOf(page), 0, 'no box')
  })

  t.test('a list is saved by name, found again after a reload, and deleted', async t => {
    await go(`/payments?q=${trackingId}`)
    await press(page, page.getByText('Saved lists', { exact: true }))
    await type(page, page.getByRole('textbox', { name: 'Name of this list' }), 'the coffee order')
    await page.keyboard.press('Enter')
    const saved = page.getByRole('link', { name: 'the coffee order' })
    await saved.waitFor()
    t.same(await findFaults(page), [], 'axe finds no fault')
    await go('/payments')
    await press(page, page.getByText('Saved lists', { exact: true }))
    await press(page, saved)
    await page.waitForURL(`**/payments?q=${trackingId}`)
    await press(page, page.getByRole('button', { name: 'Delete the saved list the coffee order' }))
    await holdsCount(t, saved, 0, 'deleted')
    await go('/payments')
    await page.getByRole('heading', { name: 'Payments' }).waitFor()
    await holdsCount(t, page.getByText('Saved lists', { exact: true }), 0, 'and forgotten')
  })
}

/** Signed in, after the endpoints. */
export function testFindOfGateway({
  database,
  gateway,
  payer,
  policy,
  trackingId,
  receiver,
  page,
  button,
}: Market): void {
  t.test('a gateway finds its endpoint, delivery, expectation and customer', async t => {
    const { rows: deliveries } = await database.pool.query<{ id: string; webhook_id: string }>(
      'select id, webhook_id from deliveries order by id desc limit 1',
    )
    const { id, webhook_id: webhookId } = deliveries[0]!
    const { rows: expectations } = await database.pool.query<{ id: string }>(
      `insert into expectations (gateway, tracking_id, recipient, token_mint, amount, reference)
       values ($1, 'to find', $2, $2, 5, 'Bill 17'), ($1, $3, $2, $2, 5, null), ($1, $3, $1, $2, 5, null) returning id`,
      [gateway.address, payer.owner, HOSTILE],
    )
    const expected = expectations[0]!.id
    await database.pool.query(
      `insert into gateway_changes (gateway, kind, subject, name, fields) values ($1, 'expectation.cancelled', $2, $3, '{}')`,
      [gateway.address, expectations[1]!.id, HOSTILE],
    )
    // No page follows itself: its address would be there before the box has closed.
    for (const [text, path, isWhole] of [
      [receiver.url, '/endpoints/1', false],
      [expected, `/expected/${expected}`, true],
      [id, `/endpoints/${webhookId}/deliveries/${id}`, false],
      ['to find', `/expected/${expected}`, false],
      [payer.owner, `/customers/${payer.owner}`, true],
      ['to f', `/expected/${expected}`, false],
      ['Bill', `/expected/${expected}`, false],
      [`${payer.owner.slice(0, 4)}…${payer.owner.slice(-4)}`, `/customers/${payer.owner}`, false],
      [`refund ${policy.address}, please`, `/subscriptions/${policy.address}`, false],
    ] as const) {
      await find(page, text)
      // A whole name is followed at once. A part of a name only shows hits, and Enter follows the first.
      if (!isWhole) await follow(page)
      await page.waitForURL(`**/console${path}`)
      t.pass(text)
    }
    await page.keyboard.press('Control+k')
    await type(page, boxOf(page).getByRole('textbox'), 'to fi')
    await holdsText(t, boxOf(page), /1 result\.\s+Expected payment\s+to find/, 'while one types')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/console/expected/${expected}`)
    await find(page, 'nothing like this')
    await holdsText(
      t,
      boxOf(page),
      /first 3 or more characters[^]*an endpoint by its ID/,
      'what a gateway finds',
    )
    await find(page, HOSTILE)
    const hits = boxOf(page).getByRole('link')
    await holdsCount(t, hits, 2, 'two expected payments of one tracking ID')
    await holdsText(t, hits.first(), SHOWN, 'what is not seen is shown in the box')
    await page.keyboard.press('Escape')
    await press(page, page.getByRole('link', { name: 'Activity' }))
    await holdsText(t, page.getByRole('region', { name: 'Changes' }), SHOWN, 'in the log of changes')
    await database.pool.query('delete from gateway_changes where name = $1', [HOSTILE])
    await database.pool.query('delete from expectations where id = any($1)', [
      expectations.map(each => each.id),
    ])
  })

  t.test('each search box finds what begins so, and an address in a sentence', async t => {
    const start = trackingId.slice(0, -2)
    const meant = page.getByRole('list', { name: 'What the text can mean' })
    for (const path of ['subscriptions', 'customers'] as const) {
      await press(
        page,
        page.getByRole('link', { name: path === 'customers' ? 'Customers' : 'Subscriptions' }),
      )
      for (const text of [start, `refund ${payer.owner}, please, and tell us when it is done`]) {
        const field =
          path === 'customers' ? page.getByRole('searchbox') : page.getByLabel('Tracking ID', { exact: true })
        await type(page, field, text)
        await page.keyboard.press('Enter')
        await holdsText(t, meant, text === start ? new RegExp(trackingId) : /Customer/, `${path}: ${text}`)
      }
    }
    t.same(await findFaults(page), [], 'axe finds no fault')
    await press(page, meant.getByRole('link').first())
    await page.waitForURL(`**/customers/${payer.owner}`)
  })

  t.test('a wallet that pays leads to its customer', async t => {
    await press(page, page.getByRole('link', { name: 'Payments' }))
    await press(
      page,
      page
        .locator('tbody')
        .getByRole('link', { name: short(payer.owner) })
        .first(),
    )
    await page.waitForURL(`**/customers/${payer.owner}`)
    await holdsText(t, page.locator('main'), new RegExp(short(payer.owner)), 'the customer')
  })

  t.test('what one gateway found is gone when another tab signs out', async t => {
    await find(page, receiver.url)
    const hits = boxOf(page).getByRole('link')
    await holdsCount(t, hits, 1, 'its endpoint')
    const cookies = await page.context().cookies()
    // As another tab writes it; the cookie is put back, so that the session goes on.
    await page.context().clearCookies()
    const other = await page.context().newPage()
    await other.goto(page.url())
    await other.getByRole('link', { name: 'Sign in' }).first().waitFor()
    await holdsCount(t, hits, 0, 'nothing of the gateway')
    await page.context().addCookies(cookies)
    await other.close()
    await page.reload()
    await page.locator('.account').getByRole('button', { name: 'Sign out' }).waitFor()
  })

  t.test('filters of deliveries stand in the address, and an address sets them', async t => {
    await find(page, receiver.url)
    await follow(page)
    const state = page.getByRole('combobox', { name: 'State' })
    await goByTab(page, state)
    await page.keyboard.type('failed')
    await page.waitForURL('**/endpoints/1?status=failed')
    await page.evaluate(() => history.pushState(null, '', '?status=delivered&trackingId=to+find'))
    await awaitValue(
      () => state.inputValue(),
      value => value === 'delivered',
      'the state',
    )
    const field = page.getByLabel('Tracking ID', { exact: true })
    t.equal(await awaitValue(() => field.inputValue(), Boolean, 'the tracking ID'), 'to find')
  })

  t.test('success and speed of an endpoint are drawn, by hours and by days', async t => {
    const requests = page.getByRole('slider', { name: 'Requests, requests an hour' })
    await requests.waitFor()
    await holdsText(
      t,
      page.getByRole('region', { name: 'Success and speed' }),
      // Some failed on purpose.
      /Accepted: (?!100)\d+\.\d % of [1-9]\d* requests before: no request/,
      'the share, and the day before',
    )
    // The newest hour, which may have begun just now.
    await holdsAttribute(t, requests, 'aria-valuetext', /accepted \d+, failed \d+$/, 'the counts of an hour')
    const times = page.getByRole('slider', { name: 'Time to accept, milliseconds' })
    await holdsAttribute(t, times, 'aria-valuetext', /p50 .+, p95 .+$/, 'and how long they took')
    await press(page, button('30 days'))
    await page.waitForURL(/span=month/)
    await page.getByRole('slider', { name: 'Requests, requests a day, UTC' }).waitFor()
    t.same(await findFaults(page), [], 'axe finds no fault')
  })
}
