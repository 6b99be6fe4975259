// Opens the reference in a real browser.
// In one process with others: a stack and a browser.
import t from 'tap'
import { openApi } from '../../services/api/test/open-api.js'
import { openBrowser } from '../console/open-browser.js'

t.test(
  'the reference is one place: REST, messages, guides and a search, and it asks no other server',
  async t => {
    const { app } = await openApi(t, { RATE_LIMIT_MAX: '100000' })
    const base = await app.listen({ port: 0, host: '127.0.0.1' })
    const browser = await openBrowser(t)
    const page = await browser.newPage()
    const outside: string[] = []
    page.on('request', asked => {
      if (!asked.url().startsWith(base) && !/^(data|blob):/.test(asked.url())) outside.push(asked.url())
    })
    const refused: string[] = []
    page.on('console', line => {
      if (/Content Security Policy/i.test(line.text())) refused.push(line.text())
    })
    await page.goto(`${base}/docs/`)
    const calls = await page.locator('pre').allInnerTexts()
    t.equal(calls.length, 3)
    for (const call of calls) {
      const [, url] = /^curl '([^']+)'$/.exec(call)!
      t.ok(url!.startsWith(base), call)
      t.equal((await fetch(url!)).status, 200, call)
    }
    for (const [place, heading] of [
      ['REST', 'REST'],
      ['Messages', /messages/i],
      ['Guides', 'Guides'],
    ] as const) {
      await page.getByRole('navigation').getByRole('link', { name: place, exact: true }).click()
      await page.getByRole('heading', { level: 1, name: heading }).waitFor()
      t.equal(await page.locator('[aria-current=page]').innerText(), place)
    }
    await page.getByRole('link', { name: 'Receive webhooks' }).click()
    await page.getByRole('heading', { name: '2. A receiver on your laptop' }).waitFor()

    await page.getByRole('searchbox').fill('replay-missing')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'POST /v1/webhooks/{id}/replay-missing' }).click()
    const shown = page.getByRole('heading', { name: 'POST /v1/webhooks/{id}/replay-missing' })
    await shown.waitFor()
    t.ok(
      await shown.evaluate(heading => heading.getBoundingClientRect().top < innerHeight),
      'a link into the page shows its place',
    )
    await page.goto(`${base}/docs/#tag/webhooks`)
    t.ok(await page.locator('[id="tag/webhooks"]').isVisible(), 'links of before lead to something')
    await page.goto(`${base}/no/such/page`)
    await page.getByRole('link', { name: 'the console' }).waitFor()
    t.strictSame(outside, [])
    t.strictSame(refused, [])
  },
)
