// The console in Chromium, on a running system, for a gateway whose wallet is in the browser.
import type { ChainGateway, TestContext } from '@payment-tracking/testkit'
import type { Page } from 'playwright-core'
import { openBrowser, visit } from './open-browser.js'
import { addWallet } from './wallet-stand-in.js'

/** SLOW_BROWSER makes the browser's CPU so many times slower: a test that counts on a fast page then fails. */
const SLOWDOWN = Number(process.env.SLOW_BROWSER ?? 1)

export async function openConsole(t: TestContext, baseUrl: string, authority: ChainGateway['authority']) {
  const browser = await openBrowser(t)
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  await addWallet(context, authority)
  const page = await context.newPage()
  page.setDefaultTimeout(20_000 * SLOWDOWN)
  if (SLOWDOWN > 1) {
    const devTools = await context.newCDPSession(page)
    await devTools.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN })
  }
  /** Requests to other servers, and what the browser reported as an error, so far. */
  const [outside, complaints]: [string[], string[]] = [[], []]
  page.on('request', request => {
    if (!request.url().startsWith(baseUrl) && !/^(data|blob):/.test(request.url()))
      outside.push(request.url())
  })
  page.on('console', line => {
    if (line.type() === 'error') complaints.push(line.text())
  })
  page.on('pageerror', error => complaints.push(String(error)))
  /** Opens a page of the console, by its path below `/console`. */
  const go = (path: string) => visit(page, `${baseUrl}/console${path}`, { waitUntil: 'load' })
  /**
   * Visits a page with an empty cache, as a browser does that comes for the first time.
   * @param isUsable resolves once a person can work with the page
   * @returns how long that took from the beginning of the navigation, in milliseconds
   */
  const timeFirstVisit = async (path: string, isUsable: (page: Page) => Promise<unknown>) => {
    const stranger = await browser.newContext()
    const first = await stranger.newPage()
    await visit(first, `${baseUrl}/console${path}`, { waitUntil: 'commit' })
    await isUsable(first)
    const ms = await first.evaluate(() => performance.now())
    await stranger.close()
    return ms
  }
  return { page, go, timeFirstVisit, outside, complaints }
}
