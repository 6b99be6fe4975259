// What must hold of every page: accessible in both colour schemes, no wider than a phone, and usable by keyboard.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { walkByKeyboard } from './walk-by-keyboard.js'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

interface AxeResult {
  violations: { id: string; nodes: { target: string[]; failureSummary?: string }[] }[]
}

const PHONE = { width: 360, height: 740 }
const DESK = { width: 1280, height: 900 }

/** @returns a line for each fault that axe finds, in both colour schemes */
export async function findFaults(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    // As text by the debugger: the policy of the page forbids scripts of others.
    await page.evaluate(AXE)
    const { violations } = await page.evaluate<AxeResult>(
      `axe.run(document, { runOnly: ${JSON.stringify(RULES)} })`,
    )
    for (const { id, nodes } of violations)
      for (const { target, failureSummary } of nodes)
        found.push(`${colorScheme}: ${id} ${target.join(' ')}: ${failureSummary}`)
  }
  await page.emulateMedia({ colorScheme: 'light' })
  return found
}

export async function checkPage(t: Test, page: Page, name: string): Promise<void> {
  t.same(await findFaults(page), [], `${name} is accessible, light and dark`)
  await page.setViewportSize(PHONE)
  const width = await page.evaluate(() => document.documentElement.scrollWidth)
  t.ok(width <= PHONE.width, `${name} fits a phone: ${width} of ${PHONE.width}`)
  await page.setViewportSize(DESK)
  await walkByKeyboard(t, page, name)
}
