// The endpoints of a gateway, their settings and their deliveries, by keyboard alone.
import { openReceiver, waitFor } from '@payment-tracking/testkit'
import { checkPage, DESK, findFaults, PHONE } from '../check-page.js'
import { awaitValue, holdsCount, holdsText } from '../hold.js'
import { goByTab, press, type } from '../walk-by-keyboard.js'
import t from 'tap'
import { USDC, type Market } from '../open-market.js'

/** Begins on the page of endpoints. */
export function testEndpoints({
  database,
  publish,
  chain,
  trackingId,
  policy,
  page,
  takePicture,
  receiver,
  field,
  button,
}: Market): void {
  const delivery = (type: string) => page.locator('tbody tr', { hasText: type }).first()
  /** Chooses by typing, as people do in a closed list. */
  const choose = async (state: string) => {
    const list = page.getByRole('combobox', { name: 'State' })
    await goByTab(page, list)
    // A list begins a new word after a second without a key: a busy browser may take longer between two.
    const typed = async () => {
      await page.keyboard.type(state)
      return (await list.inputValue()) === state
    }
    await waitFor(typed, { what: `the state ${state}`, intervalMs: 1_500 })
  }

  t.test('an endpoint is added, tested, fails and is replayed, by keyboard', async t => {
    await press(page, button('Add endpoint'))
    await type(page, field('URL'), receiver.url)
    // Whoever replays by hand must come before what is sent again by itself: here nothing is.
    await press(page, page.getByRole('checkbox', { name: /resend what failed/ }), 'Space')
    await press(page, button('Add'))
    await press(page, page.getByRole('status').getByRole('link'))
    await press(page, button('Send a test event'))
    await delivery('webhook.test').getByText('delivered').waitFor()
    const health =
      /health\s+healthy\s+accepted in 24 hours\s+100\.0 % of 1 request\s+last accepted\s+.*(now|ago)\s+last answer\s+HTTP 200, .*(now|ago)\s+sending\s+normally/i
    await holdsText(t, page.locator('.figures'), health, 'the health of the endpoint')

    receiver.answer({ status: 500, body: 'broken on purpose' })
    const paid = chain.pay(policy)
    await publish(paid)
    await delivery('payment.executed').getByText('failed').waitFor()
    const last = page.locator('div', { hasText: /^The last request failed: HTTP 500, of/ }).last()
    await holdsText(t, last, /delivery \d+\.\s+broken on purpose$/, 'the last answer, with its body')
    await holdsText(t, delivery('payment.executed'), /HTTP 500/, 'the row says the reason')
    await holdsText(t, page.locator('.figures'), /20\.0 % of 5 requests/, 'each try counts')
    receiver.answer({ status: 200 })
    await takePicture('console-endpoint')
    await checkPage(t, page, 'endpoint')
    await choose('failed')
    await press(page, page.getByRole('checkbox', { name: /Replay delivery/ }), 'Space')
    await press(page, button('Replay selected'))
    await page.getByText('1 queued.').waitFor()
    await holdsText(t, page.locator('.figures'), /33\.3 % of 6 requests/, 'a replay undoes no failure')
    await choose('delivered')
    await press(page, delivery('payment.executed').getByRole('link'))
    await page.getByText('broken on purpose').first().waitFor()
    const body = page.locator('h3:has-text("Body") + pre')
    await holdsText(
      t,
      body,
      new RegExp(`^\\{\n  "id": [^]*\n    "trackingId": "${trackingId}"`),
      'the body, in lines',
    )
    await press(page, page.getByText('Send it by hand'))
    await holdsText(
      t,
      page.locator('pre').last(),
      /curl -X POST[^]*webhook-signature: v1,/,
      'commands that repeat it',
    )
    await holdsCount(t, page.locator('.timeline li'), 5, 'each attempt with its answer')
    await checkPage(t, page, 'delivery')
    await press(page, button('Resend'))
    await page.locator('.timeline li').nth(5).waitFor()

    // Without a reload, which would end the session.
    await page.evaluate(path => history.pushState(null, '', path), `/console/payments/${paid.signature}`)
    const trace = page.getByRole('region', { name: 'Timeline' })
    await trace.getByText('6 attempts').waitFor()
    const way = /Executed[^]*Announced[^]*Webhook 1 delivered[^]*1: 500[^]*4: 500 · 5: 200/
    await holdsText(t, trace, way, 'the way to the endpoint')
    t.same(await findFaults(page), [], 'axe finds no fault')
    await press(page, trace.getByRole('link', { name: '1', exact: true }))
    await press(page, page.getByRole('link', { name: 'Endpoint 1', exact: true }))
  })

  t.test('all that failed is replayed at once, by keyboard', async t => {
    await database.pool.query(
      `with m as (insert into messages (gateway, message_id, type, body)
         select gateway, 'missed-' || n, 'payment.executed', '{}' from webhooks, generate_series(1, 3) n returning *)
       insert into deliveries (webhook_id, message_id, type, message, state, attempts_made, finished_at)
       select w.id, m.message_id, m.type, m.id, 'failed', 4, now() from m join webhooks w using (gateway)`,
    )
    const before = receiver.requests.length
    await press(page, button('Replay all failed in the last 7 days'))
    // Fewer than three may be queued: a worker may have sent some again already.
    await page.getByText(/^\d queued/).waitFor()
    await waitFor(() => receiver.requests.length === before + 3, { what: 'the replayed deliveries' })
    await choose('failed')
    await page.getByText('No deliveries', { exact: true }).waitFor()
    t.pass('nothing is left')
    await type(page, field('Tracking ID'), trackingId)
    await choose('delivered')
    await waitFor(async () => (await page.locator('tbody tr').count()) === 1, { what: 'one of the order' })
  })

  t.test('on a phone the deliveries of an endpoint stand above its charts', async t => {
    const open = async () => {
      await page.evaluate(() => history.pushState(null, '', '/console/endpoints'))
      await page.getByRole('heading', { name: 'Endpoints' }).waitFor()
      await page.evaluate(() => history.pushState(null, '', '/console/endpoints/1'))
    }
    const topOf = async (name: string) =>
      (await page.getByRole('heading', { name, exact: true }).boundingBox())!.y
    await page.setViewportSize(PHONE)
    await open()
    t.ok((await topOf('Deliveries')) < (await topOf('Success and speed')), 'a phone')
    await page.setViewportSize(DESK)
    await open()
    t.ok((await topOf('Success and speed')) < (await topOf('Deliveries')), 'a desk')
  })

  t.test('an endpoint is told what its owner chooses, as its owner chooses, by keyboard', async t => {
    await press(page, page.getByText('Edit settings'))
    await type(page, field('Description'), 'orders of the shop')
    await press(page, page.getByRole('checkbox', { name: /subscription\.created/ }), 'Space')
    await type(page, field('Minimum amount, in the smallest unit'), '1000')
    await press(page, button('Save'))
    await holdsText(t, page.getByRole('alert'), /minAmount needs tokenMint/, 'the cure')
    await type(page, field('Token mint'), USDC)
    await press(page, page.getByRole('checkbox', { name: 'Deliver one at a time' }), 'Space')
    await type(page, page.getByLabel('Seconds to wait'), '600')
    await type(page, page.getByLabel('Rate limit'), '50')
    await press(page, page.getByRole('checkbox', { name: /resend what failed/ }), 'Space')
    await press(page, page.getByRole('checkbox', { name: 'Set headers' }), 'Space')
    await type(page, field('Header 1'), 'x-shop')
    await type(page, field('Value 1'), 'coffee')
    await checkPage(t, page, 'settings of an endpoint')
    await press(page, button('Save'))
    await page.getByText('Saved.').waitFor()
    await page.getByText('Subscribed to payment.executed, subscription.created').waitFor()
    await page.getByText('Delivers one at a time, in order. Resends what failed').waitFor()
    await page.getByText('At most 50 requests per second.').waitFor()
    await page.getByText('Set: x-shop. Their values are not shown.').waitFor()
    await press(page, button('Send a test event'))
    await waitFor(() => receiver.requests.at(-1)!.headers['x-shop'] === 'coffee', { what: 'the header' })
    const { rows } = await database.pool.query(
      'select ordered, ordered_within_seconds, rate_per_second, recover from webhooks',
    )
    t.same(rows, [{ ordered: true, ordered_within_seconds: 600, rate_per_second: 50, recover: true }])

    await press(page, button('Reveal'))
    const readSecret = () => page.locator('code.secret').innerText()
    const secret = await awaitValue(readSecret, seen => seen !== '', 'the secret')
    await press(page, button('Rotate'))
    await press(page, page.getByRole('dialog').getByRole('button', { name: 'Rotate' }))
    await page.getByText('keeps signing until').waitFor()
    await awaitValue(readSecret, seen => seen !== '' && seen !== secret, 'another secret')
    await press(page, button('Deactivate'))
    await button('Activate').waitFor()
    await press(page, button('Activate'))
    await button('Deactivate').waitFor()
    await press(page, button('Send what it missed'))
    await page.getByText(/^Done: \d+ sent of \d+ events looked at\.$/).waitFor()
    await checkPage(t, page, 'what an endpoint missed')
  })

  t.test('an open breaker shows, with the time of the next try', async t => {
    const broken = await openReceiver(t)
    broken.answer('close')
    await press(page, page.getByRole('link', { name: 'All endpoints' }))
    await press(page, button('Add endpoint'))
    await type(page, field('URL'), broken.url)
    await press(page, button('Add'))
    await press(page, page.getByRole('status').getByRole('link'))
    for (let tests = 1; tests <= 4; tests++) {
      await press(page, button('Send a test event'))
      await waitFor(async () => (await page.locator('tbody tr').count()) === tests, { what: `test ${tests}` })
    }
    await page.getByText(/^waits [\d.]+ s after failures$/).waitFor()
    await page
      .getByText(
        /^4 deliveries are still tried, failed ones too where they are tried again: next .+, last .+\.$/,
      )
      .waitFor()
    await holdsText(t, page.locator('h1'), new RegExp(`^${broken.url}`), 'the page is called by its URL')
    await holdsText(t, page.locator('tbody'), /unreachable/, 'why it failed')
    // Sent while the breaker is open: it was never tried itself.
    await press(page, button('Send a test event'))
    const untried = page.locator('tbody tr').first()
    await holdsText(t, untried, /waiting[^]*unreachable; waits after failures/, 'why it waits')
    await press(page, page.getByRole('link', { name: 'All endpoints' }))
    const row = (url: string) => page.locator('tbody tr', { hasText: url })
    const refused = /failing\s+0\.0 % of \d+ requests\s+never\s+unreachable, .*(now|ago)/
    await holdsText(t, row(broken.url), refused, 'it fails, and why')
    const accepted = /healthy\s+[\d.]+ % of \d+ requests\s+.*(now|ago)\s+HTTP 200, .*(now|ago)/
    await holdsText(t, row(receiver.url), accepted, 'the other one')
  })
}
