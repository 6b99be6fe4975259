// What must hold of every page: accessible in both colour schemes, no wider than a phone, and usable by keyboard.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { walkByKeyboard } from './walk-by-keyboard.js'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** In the dark, colours alone are others. */
const CHECKED = {
  light: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
  dark: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
} as const

interface AxeResult {
  violations: { id: string; nodes: { target: string[]; failureSummary?: string }[] }[]
}

export const PHONE = { width: 360, height: 740 }
const TABLET = { width: 768, height: 1024 }
const WIDE = { width: 1440, height: 900 }
export const DESK = { width: 1280, height: 900 }
/** The smallest side of what a finger presses, in pixels. */
const TOUCH = 44

/** @returns a line for each fault that axe finds, in both colour schemes */
export async function findFaults(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    // As text by the debugger: the policy of the page forbids scripts of others.
    if (colorScheme === 'light') await page.evaluate(AXE)
    const runOnly = JSON.stringify(CHECKED[colorScheme])
    const { violations } = await page.evaluate<AxeResult>(`axe.run(document, { runOnly: ${runOnly} })`)
    for (const { id, nodes } of violations)
      for (const { target, failureSummary } of nodes)
        found.push(`${colorScheme}: ${id} ${target.join(' ')}: ${failureSummary}`)
  }
  await page.emulateMedia({ colorScheme: 'light' })
  return found
}

export async function checkPage(t: Test, page: Page, name: string): Promise<void> {
  t.same(await findFaults(page), [], `${name} is accessible, light and dark`)
  await checkWidths(t, page, name)
  await walkByKeyboard(t, page, name)
}

/** Runs in the page. @returns the controls that are too small for a finger; links inside of a text may be */
function findSmall(least: number): string[] {
  const controls = 'button, select, summary, input, .sections a, .tile, .back, .row-link'
  return [...document.querySelectorAll<HTMLElement>(controls)].flatMap(control => {
    if (!control.checkVisibility({ visibilityProperty: true })) return []
    // A tick is pressed by its label, and a link that covers its card by the card.
    const pressed = control.matches('[type="checkbox"]')
      ? (control.closest('label') ?? control)
      : control.matches('.row-link')
        ? (control.closest('tr') ?? control)
        : control
    const { width, height } = pressed.getBoundingClientRect()
    return Math.min(width, height) < least - 0.5
      ? [`${Math.round(width)} × ${Math.round(height)}: ${control.outerHTML.slice(0, 100)}`]
      : []
  })
}

/** No page scrolls sideways, and on a phone everything can be pressed. */
export async function checkWidths(t: Test, page: Page, name: string): Promise<void> {
  for (const size of [PHONE, TABLET, WIDE]) {
    await page.setViewportSize(size)
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    t.ok(width <= size.width, `${name} fits ${size.width} pixels: ${width}`)
    // The ops dashboard is for desks.
    if (size === PHONE && page.url().includes('/console'))
      t.same(await page.evaluate(findSmall, TOUCH), [], `${name}: a finger can press everything`)
  }
  await page.setViewportSize(DESK)
}
