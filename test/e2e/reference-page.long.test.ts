// Opens the reference in a real browser.
// In one process with others: a stack and a browser.
import t from 'tap'
import { openApi } from '../../services/api/test/open-api.js'
import { openBrowser } from '../console/open-browser.js'

t.test('the reference renders and requests nothing from other servers', async t => {
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
  await page.getByText('List payments').first().waitFor({ timeout: 30_000 })
  t.strictSame(outside, [])
  // The toolbar of developers, with the buttons that share the document and make clients from it, stays away.
  for (const name of [
    /^share$/i,
    /deploy/i,
    /generate sdks?/i,
    /developer tools/i,
    /configure/i,
    /open api client/i,
  ]) {
    t.equal(await page.getByRole('button', { name }).count(), 0, `no button ${String(name)}`)
    t.equal(await page.getByRole('link', { name }).count(), 0, `no link ${String(name)}`)
  }
  t.comment(refused.join('\n'))
})
