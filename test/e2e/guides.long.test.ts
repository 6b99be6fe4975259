// The guides, command by command as they stand there.
// In one process with others: a stack and a browser.
import { findFreePort } from '@payment-tracking/stack'
import { isQuick, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { openBrowser } from '../console/open-browser.js'
import { codeBlocks, runScript } from './read-guide.js'
import { shareStack } from './share-stack.js'

const { baseUrl, dataDir } = await shareStack(t)
const env = { DATA_DIR: dataDir }
const here = (text: string) => text.replaceAll('http://127.0.0.1:3002', baseUrl)

t.test('the webhook guide leads from nothing to a verified webhook', async t => {
  const port = String(await findFreePort())
  const script = codeBlocks('docs/guides/receive-webhooks.md', 'sh').join('').replaceAll('8080', port)
  const startedAt = Date.now()
  const { exitCode, output } = runScript(t, here(script), env)
  t.equal(await exitCode, 0, output())
  await waitFor(() => output().includes('payment 1 of order-7: 5000000'), {
    what: 'the payment at the receiver of the guide',
  })
  await waitFor(() => output().includes('message subscription.created'), { what: 'the triggered event' })
  isQuick(t, Date.now() - startedAt, 120_000, 'from nothing to a verified webhook')
})

t.test('the commands of the page guide work', async t => {
  const page = String(await findFreePort())
  const blocks = codeBlocks('docs/guides/show-payments-on-your-page.md', 'sh').join('')
  const script = here(blocks)
    .replace('gateway -- new', 'gateway -- address')
    .replaceAll('order-42', 'order-43')
  const { output } = runScript(t, script, { ...env, PORT: page })
  await waitFor(() => output().includes(`open http://127.0.0.1:${page}/`), { what: 'the page to be served' })
  const html = await (await fetch(`http://127.0.0.1:${page}/?trackingId=order-43`)).text()
  t.match(html, /<script type="module">/)
  const browser = await openBrowser(t)
  const tab = await browser.newPage()
  const query = new URLSearchParams({ trackingId: 'order-43', baseUrl })
  await tab.goto(`http://127.0.0.1:${page}/?${query.toString()}`)
  await tab.getByText('2 payment(s)').waitFor()
  const again = runScript(t, 'npm run --silent pay -- --tracking-id order-43 --amount 7', env)
  t.equal(await again.exitCode, 0, again.output())
  await tab.getByText('3 payment(s)').waitFor()
  const shown = tab.locator('li')
  await shown.nth(2).waitFor()
  t.match(await shown.allInnerTexts(), [/^2000000 of /, /^3000000 of /, /^7 of /])
})

t.test('a key file is never overwritten, and a damaged one is named', async t => {
  const again = runScript(t, 'npm run --silent gateway -- new', env)
  t.equal(await again.exitCode, 1)
  t.match(again.output(), /the key file cannot be made:\s+\S+gateway-key\.json\s+it exists already/)
  const damaged = runScript(
    t,
    `echo '[1,2]' > "$DATA_DIR/bad.json"; npm run --silent sign-in -- --key "$DATA_DIR/bad.json"`,
    env,
  )
  t.equal(await damaged.exitCode, 1)
  t.match(damaged.output(), /bad\.json holds no key pair: a JSON array of 64 numbers/)
})
