import { existsSync } from 'node:fs'
import { installDebianPackage, type TestContext } from '@payment-tracking/testkit'
import { chromium, type Browser, type Page } from 'playwright-core'

/** Chromium without the parts that draw windows: a fifth less CPU. */
const PROGRAM = '/usr/bin/chromium-headless-shell'

/** Starts a browser, which closes when the test ends. Installs it where it is missing. */
export async function openBrowser(t: TestContext): Promise<Browser> {
  if (!existsSync(PROGRAM)) installDebianPackage('chromium-headless-shell')
  const browser = await chromium.launch({ executablePath: PROGRAM, args: ['--no-sandbox'] })
  t.teardown(() => browser.close())
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
