// The console in a real browser, with real payments: each page, sign-in by a wallet that signs for real, the keyboard,
// and what a browser enforces. Set UPDATE_SCREENSHOTS to take the pictures of the guides anew.
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  buildChain,
  createDatabase,
  installDebianPackage,
  openPublisher,
  openReceiver,
  startStack,
  useServers,
  waitFor,
} from '@payment-tracking/testkit'
import { chromium, type Page } from 'playwright-core'
import t from 'tap'
import { checkPage } from '../console/check-page.js'
import { addWallet } from '../console/wallet-stand-in.js'

const CHROMIUM = '/usr/bin/chromium'
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const INTERACTIVE_MS = 1_500
const picture = (name: string) => fileURLToPath(new URL(`../../docs/guides/${name}.png`, import.meta.url))

if (!existsSync(CHROMIUM)) installDebianPackage('chromium')
const id = randomBytes(4).toString('hex')
const { natsUrl } = await useServers(t)
const settings = {
  DATABASE_URL: (await createDatabase(t)).url,
  NATS_URL: natsUrl,
  STREAM_NAME: `E2E_console_${id}`,
  SUBJECT_PREFIX: `e2e.console.${id}`,
  RATE_LIMIT_MAX: '100000',
  WEBHOOK_BACKOFF_MS: '50',
}
const stack = await startStack(t, settings)
const { baseUrl } = stack.describe()
const publisher = await openPublisher(settings)
t.teardown(() => publisher.close())
const chain = buildChain({ seed: id })
const gateway = await chain.openGateway('Console Test')
const payer = await chain.openUserPayment(USDC)
const trackingId = `order-${id}`
const policy = await chain.openPolicy(gateway, payer, { trackingId, amount: 12_500_000n })
const publish = async (...messages: unknown[]) => {
  for (const message of messages) await publisher.publish(JSON.stringify(message))
}
const first = chain.pay(policy)
await publish(gateway.created, payer.created, policy.created, first, chain.pay(policy))
await waitFor(async () => {
  const response = await fetch(`${baseUrl}/v1/onetime/${trackingId}`)
  return response.ok && Array.isArray(((await response.json()) as { data: unknown }).data)
})

const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
t.teardown(() => browser.close())
const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
await addWallet(context, gateway.authority)
const page: Page = await context.newPage()
page.setDefaultTimeout(20_000)
const outside: string[] = []
const complaints: string[] = []
page.on('request', request => {
  if (!request.url().startsWith(baseUrl) && !/^(data|blob):/.test(request.url())) outside.push(request.url())
})
page.on('console', line => {
  if (line.type() === 'error') complaints.push(line.text())
})
page.on('pageerror', error => complaints.push(String(error)))
const go = (path: string) => page.goto(`${baseUrl}/console${path}`, { waitUntil: 'load' })
const takePicture = async (name: string) => {
  if (process.env.UPDATE_SCREENSHOTS) await page.screenshot({ path: picture(name) })
}

t.test('the payments appear at once, and a new one without a reload', async t => {
  const times: number[] = []
  for (let visit = 0; visit < 3; visit++) {
    await go('/payments')
    await page.getByText('live', { exact: true }).waitFor()
    times.push(await page.evaluate(() => performance.now()))
  }
  t.comment(`interactive after ${times.map(Math.round).join(', ')} ms`)
  t.ok(Math.min(...times) <= INTERACTIVE_MS, 'interactive within the budget')
  t.equal(await page.locator('tbody tr').count(), 2)
  t.match(await page.locator('tbody tr').first().innerText(), /12\.50 USDC\s+12500000/)
  await publish(chain.pay(policy))
  await page.locator('tbody tr').nth(2).waitFor()
  const title = await page.locator('tbody time').first().getAttribute('title')
  t.match(title, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/, 'the time in UTC is there too')
  await takePicture('console-payments')
  await checkPage(t, page, 'payments')
})

t.test('payments are found by tracking ID, signature, payer and recipient', async t => {
  for (const text of [trackingId, payer.owner, policy.recipient]) {
    await go('/payments')
    await page.getByRole('searchbox').fill(text)
    await page.keyboard.press('Enter')
    await page.locator('tbody tr').nth(2).waitFor()
    t.match(page.url(), `q=${text}`)
  }
  await page.getByRole('searchbox').fill(first.signature)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'What became of it' }).waitFor()
  t.match(page.url(), `/payments/${first.signature}`)
})

t.test('a payment is traced, and compared with what was expected', async t => {
  await go(`/payments/${first.signature}`)
  const trace = page.getByRole('region', { name: 'What became of it' })
  await trace.waitFor()
  t.match(await trace.innerText(), /Executed on the chain[^]*Stored[^]*Announced[^]*Finalized/)
  const check = async (amount: string) => {
    await page.getByLabel('At least, in the smallest unit').fill(amount)
    await page.getByRole('button', { name: 'Check' }).click()
  }
  await page.getByLabel('Recipient').fill(policy.recipient)
  await page.getByLabel('Token mint').fill(USDC)
  await check('12500000')
  await page.getByText('paid', { exact: true }).nth(1).waitFor()
  await check('12500001')
  await page.getByText('not paid').waitFor()
  await page.getByText('amount is 12500000, not 12500001').first().waitFor()
  await takePicture('console-payment')
  await checkPage(t, page, 'payment')
})

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
    t.match(await page.locator('tbody tr').first().innerText(), /active[^]*upcoming/, query)
  }
  await checkPage(t, page, 'subscriptions')
  await page.locator('tbody a').first().click()
  await page.getByRole('heading', { name: 'Due next' }).waitFor()
  await page.locator('.dates li').nth(5).waitFor()
  await page.getByRole('region', { name: 'Payments of the subscription' }).waitFor()
  t.equal(await page.locator('tbody tr').count(), 3)
  await takePicture('console-subscription')
  await checkPage(t, page, 'subscription')
})

const receiver = await openReceiver(t)

t.test('a gateway signs in by its wallet, with the keyboard alone', async t => {
  await go(`/endpoints?gateway=${gateway.address}`)
  const button = page.getByRole('button', { name: 'Sign in with Test Wallet' })
  await button.waitFor()
  await checkPage(t, page, 'sign-in')
  for (let presses = 0; presses < 30; presses++) {
    await page.keyboard.press('Tab')
    if (await button.evaluate(element => element === document.activeElement)) break
  }
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Endpoints' }).waitFor()
  await checkPage(t, page, 'endpoints')
})

t.test('an endpoint is added, tested, fails, is replayed, and its secret is rotated', async t => {
  await page.getByLabel('URL').fill(receiver.url)
  await page.getByRole('button', { name: 'Add' }).click()
  const link = page.getByRole('status').getByRole('link')
  await link.click()
  await page.getByRole('button', { name: 'Send a test event' }).click()
  await page.locator('tbody tr', { hasText: 'webhook.test' }).getByText('delivered').waitFor()

  receiver.answer({ status: 500, body: 'broken on purpose' })
  await publish(chain.pay(policy))
  await page.locator('tbody tr', { hasText: 'payment.executed' }).getByText('failed').waitFor()
  receiver.answer({ status: 200 })
  await takePicture('console-endpoint')
  await checkPage(t, page, 'endpoint')
  await page.getByLabel('State').selectOption('failed')
  await page.getByRole('checkbox', { name: /Replay delivery/ }).check()
  await page.getByRole('button', { name: 'Replay the ticked ones' }).click()
  await page.getByText('1 are due now.').waitFor()
  await page.getByLabel('State').selectOption('delivered')
  const row = page.locator('tbody tr', { hasText: 'payment.executed' })
  await row.waitFor()
  await row.getByRole('link').click()
  await page.getByText('broken on purpose').first().waitFor()
  t.match(await page.locator('pre').last().innerText(), trackingId)
  await checkPage(t, page, 'delivery')
  await page.getByRole('link', { name: 'Endpoint 1', exact: true }).click()

  await page.getByText('Change what it is told').click()
  await page.getByLabel('Description').fill('orders of the shop')
  await page.getByLabel('At least, in the smallest unit').fill('1000')
  await page.getByRole('button', { name: 'Save' }).click()
  t.match(await page.getByRole('alert').innerText(), /minAmount needs tokenMint/)
  await page.getByLabel('Token mint').fill(USDC)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  await page.getByText('orders of the shop Told of').waitFor()

  await page.getByRole('button', { name: 'Show' }).click()
  const secret = await page.locator('code.secret').innerText()
  await page.getByRole('button', { name: 'Rotate' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click()
  await page.getByText('signs too until').waitFor()
  t.not(await page.locator('code.secret').innerText(), secret)
})

t.test('the gateway sees its revenue, and takes it away as CSV', async t => {
  await page.getByRole('link', { name: 'Revenue' }).click()
  await page.getByText('Volume by day (UTC)').waitFor()
  t.match(await page.locator('main').innerText(), /50\.00 USDC\s+50000000\s+in 4\s+payments/)
  const chosen = page.waitForEvent('download')
  await page.getByRole('button', { name: 'payments' }).click()
  const download = await chosen
  t.equal(download.suggestedFilename(), `payments-${gateway.address}.csv`)
  await takePicture('console-revenue')
  await checkPage(t, page, 'revenue')
})

t.test('an API key made in the console signs in, as far as its scope goes', async t => {
  await page.getByRole('link', { name: 'API keys' }).click()
  await page.getByLabel('Name').fill('order server')
  await page.getByRole('button', { name: 'Make it' }).click()
  const key = await page.locator('code.secret').innerText()
  await page.locator('tbody tr', { hasText: 'order server' }).waitFor()
  await checkPage(t, page, 'API keys')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in as a gateway' }).waitFor()
  await page.getByLabel('API key or token').fill(key)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('alert').waitFor()
  await page.getByRole('link', { name: 'Endpoints' }).click()
  await page.locator('tbody tr', { hasText: receiver.url }).waitFor()
  t.pass('the endpoints are shown')
})

t.test('nothing came from another server, and the browser refused nothing', async t => {
  t.same(outside, [])
  // The browser reports each refusal of the API: a filter was refused, and the key may not list keys.
  t.same(
    complaints.filter(text => !/status of 40[03]/.test(text)),
    [],
  )
})
