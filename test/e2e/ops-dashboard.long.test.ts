// The dashboard in a real browser: what escaping, cookies and policies promise is decided there.
// In one process with others: a stack and a browser.
import { openQueue, type DeliveryEnd, type DeliveryQueue } from '@payment-tracking/queue'
import { openDeliveryWorker } from '@payment-tracking/queue/worker'
import {
  createDatabase,
  makeDeliveryRef,
  startService,
  useNats,
  useRedis,
  waitFor,
  type TestContext,
} from '@payment-tracking/testkit'
import type { Page } from 'playwright-core'
import t from 'tap'
import { checkPage, findFaults } from '../console/check-page.js'
import { holdsCount, holdsText } from '../console/hold.js'
import { openBrowser } from '../console/open-browser.js'
import { keepPicture } from '../console/pictures.js'

/** Buttons that are pictures without a name, and pale texts. Our pages tell the same without them. */
const FAULTS_OF_BULL_BOARD = [
  ': button-name ',
  ': color-contrast ',
  ': label-content-name-mismatch ',
  ': svg-img-alt ',
]
const TOKEN = 'a token for the browser test'

/** Makes jobs that have failed three times, wait behind a breaker, have failed for good, and are done. @param shown failed three times */
async function workOn(
  t: TestContext,
  queue: DeliveryQueue,
  config: { REDIS_URL: string; ENVIRONMENT: string },
  shown: bigint,
): Promise<void> {
  const ends: Record<string, DeliveryEnd[]> = {
    [String(shown)]: [1, 1, 1_200_000].map(retryInMs => ({
      kind: 'refused',
      reason: 'status 503',
      retryInMs,
    })),
    '9001': [{ kind: 'wait', reason: 'breaker open', forMs: 900_000 }],
    '9002': [{ kind: 'failed', reason: 'status 410' }],
  }
  const worker = await openDeliveryWorker({
    ...config,
    concurrency: 4,
    kept: { completed: 100, failed: 100 },
    process: ({ deliveryId }) =>
      Promise.resolve(ends[deliveryId]?.shift() ?? { kind: 'done', result: 'delivered' }),
  })
  t.teardown(() => worker.close())
  await queue.enqueueDeliveries([
    makeDeliveryRef(shown, { webhookId: 7n }),
    makeDeliveryRef(9001n, { host: 'hooks.market.example', trackingId: '"market-17"' }),
    ...[9002n, 9003n].map(id => makeDeliveryRef(id)),
  ])
  worker.start()
  await waitFor(() => Object.values(ends).every(left => left.length === 0), { what: 'the work' })
  await worker.stop()
}

t.test('ops people work in a browser', { timeout: 240_000 }, async t => {
  const database = await createDatabase(t)
  const redis = await useRedis(t)
  const nats = await useNats(t)
  await nats.addStream()
  const queue = openQueue({ REDIS_URL: redis.url, ENVIRONMENT: 'devnet' })
  t.teardown(() => queue.close())
  await waitFor(() => queue.ping().then(() => true), { what: 'the queue' })
  const hostile = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`
  await database.pool.query(
    `insert into dead_letters (stream, stream_created_at, stream_sequence, subject, code, reason, bytes, size)
     select 'CHAIN_EVENTS', now(), n, $1, 'NOT_JSON', $2, $3, length($3::bytea) from generate_series(1, 3) n`,
    [`${nats.subjectPrefix}.unparsed`, `refused: ${hostile}`, Buffer.from(hostile)],
  )
  const { rows } = await database.pool.query<{ id: string }>(
    `with w as (insert into webhooks (gateway, endpoint_url, secret)
                values ('4Nd1mYb3yGateway', 'https://shop.example/hook', 'whsec_x') returning id),
          m as (insert into messages (gateway, type, message_id, body) values ('4Nd1mYb3yGateway', '', '', '{}') returning id)
     insert into deliveries (webhook_id, message_id, type, message, state, attempts_made, finished_at, last_error)
     select w.id, 'msg_1', 'payment.executed', m.id, 'failed', 4, now(), 'timeout' from w, m returning id`,
  )
  const shown = rows[0]!.id
  await workOn(t, queue, { REDIS_URL: redis.url, ENVIRONMENT: 'devnet' }, BigInt(shown))
  const ops = await startService(t, 'ops', {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    NATS_URL: nats.url,
    SUBJECT_PREFIX: nats.subjectPrefix,
    ENVIRONMENT: 'devnet',
    OPS_TOKEN: TOKEN,
    OPS_PORT: '0',
  })
  const base = (await ops.waitForLog('http.listening')).address as string
  const browser = await openBrowser(t)
  const context = await browser.newContext({ viewport: { width: 1200, height: 700 } })
  const page: Page = await context.newPage()
  page.setDefaultTimeout(20_000)
  const titles = new Set<string>()
  const go = async (path: string) => {
    await page.goto(base + path, { waitUntil: 'load' })
    titles.add(await page.title())
  }

  await go('/')
  t.match(page.url(), /\/sign-in$/, 'a stranger is asked for the token')
  await checkPage(t, page, 'sign-in')
  await page.fill('input[name=token]', TOKEN)
  await page.click('button')
  await page.waitForURL(`${base}/`)
  const [cookie] = await context.cookies()
  t.match(cookie, { httpOnly: true, sameSite: 'Strict' })

  await go('/dead-letters')
  t.equal(await page.locator('td >> text=onerror').count(), 3, 'hostile text is shown as text')
  t.equal(await page.locator('img, main script').count(), 0)
  await checkPage(t, page, 'dead letters')
  await page.locator('td a').first().click()
  await page.waitForURL('**/dead-letters/*')
  t.equal(await page.locator('pre').innerText(), hostile)
  titles.add(await page.title())
  await checkPage(t, page, 'a dead letter')

  await go('/dead-letters')
  await page.locator('input[name=id]').first().check()
  await page.click('text=Replay the ticked ones')
  await holdsText(t, page.locator('.notice'), /Replayed 1 of 1\./, 'the ticked one')
  await page.click('text=Replay all open ones')
  await holdsText(t, page.locator('.notice'), /Replayed 2 of 2\./, 'the others')

  await go('/failed-deliveries')
  await checkPage(t, page, 'failed deliveries')
  await page.locator('td a').first().click()
  await page.getByRole('heading', { name: 'Attempts' }).waitFor()
  await checkPage(t, page, 'a failed delivery')
  await go('/failed-deliveries?error=tls')
  t.equal(await page.locator('td').count(), 0, 'a filter leaves out the others')
  await go('/failed-deliveries?error=timeout')
  await page.locator('input[name=id]').first().check()
  await page.click('text=Deliver the ticked ones again')
  await holdsText(t, page.locator('.notice'), /1 of 1 are due now\./, 'the ticked delivery')
  for (const title of titles) t.notOk(title.includes('owned'), 'no script of a stranger ran')

  for (const [path, name] of [
    ['/', 'overview'],
    ['/pipeline', 'pipeline'],
    ['/stream-gaps', 'stream gaps'],
    ['/nowhere', 'an error'],
  ] as const) {
    await go(path)
    await checkPage(t, page, name)
  }
  t.equal(await page.locator('.failure').count(), 1, 'an error looks like one')

  await go('/queues/queue/deliveries?status=delayed')
  await page.waitForSelector('text=payment.executed → shop.example', { timeout: 20_000 })
  await page.locator('button:has-text("Error")').first().click()
  await holdsText(t, page.locator('body'), /status 503/, 'the board shows why the last try failed')
  await holdsCount(t, page.locator(`a[href="/failed-deliveries/${shown}"]`), 1, 'and leads to the delivery')
  t.equal(await page.locator('button:has-text("Pause")').count(), 0, 'and cannot pause the queue')
  await keepPicture(page, 'ops-dashboard')
  const faults = (await findFaults(page)).filter(
    fault => !FAULTS_OF_BULL_BOARD.some(id => fault.includes(id)),
  )
  t.same(faults, [], 'axe finds no fault in the board, light and dark, but those that are its own')
  const links = page.locator('a[href="/pipeline"], a[href="/failed-deliveries"], a[href="/dead-letters"]')
  if ((await links.count()) === 0) await page.locator('header button').last().click()
  await links.first().waitFor()
  await holdsCount(t, links, 3, 'the board leads back to the pages')

  await go('/')
  await page.click('text=Sign out')
  await page.waitForURL('**/sign-in')
  await go('/dead-letters')
  t.match(page.url(), /\/sign-in$/)
})
