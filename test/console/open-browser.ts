import { existsSync } from 'node:fs'
import { installDebianPackage, outermost, type TestContext } from '@payment-tracking/testkit'
import { chromium, type Browser, type Page } from 'playwright-core'

/** Chromium without the parts that draw windows: a fifth less CPU. */
const PROGRAM = '/usr/bin/chromium-headless-shell'

let shared: Promise<Browser> | undefined

async function launch(t: TestContext): Promise<Browser> {
  if (!existsSync(PROGRAM)) installDebianPackage('chromium-headless-shell')
  const browser = await chromium.launch({ executablePath: PROGRAM, args: ['--no-sandbox'] })
  t.teardown(() => browser.close())
  return browser
}

/** One browser for all files of a process, installed where it is missing. What a test opens in it closes when the test ends. */
export async function openBrowser(t: TestContext): Promise<Browser> {
  const browser = await (shared ??= launch(outermost(t)))
  t.teardown(() => Promise.all(browser.contexts().map(context => context.close())))
  return browser
}

/** Opens a page. Containers that begin or end beside the test change the network: what was on its way then is asked for again. */
export const visit: (page: Page, ...of: Parameters<Page['goto']>) => ReturnType<Page['goto']> = (
  page,
  ...of
) =>
  page.goto(...of).catch((error: unknown) => {
    if (String(error).includes('ERR_NETWORK_CHANGED')) return page.goto(...of)
    throw error
  })
