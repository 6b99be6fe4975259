// Without a mouse: every control of a page is reached by Tab, in a way that people can see, and used by keys.
import { waitFor } from '@payment-tracking/testkit'
import type { Locator, Page } from 'playwright-core'
import type { Test } from 'tap'

/** More controls than any page has: the walk ends. */
const MOST_PRESSES = 300

interface Focus {
  /** the mark of the control that has the focus; undefined for anything else */
  index: string | undefined
  /** whether the control looks otherwise than without the focus, and is on the screen */
  isVisible: boolean
  text: string
}

/** How long a control may be off the screen after Tab: a page that still draws moves what has the focus. */
const SETTLE_MS = 5_000

/**
 * Runs in the page. `mark` remembers how each control looks without the focus, and returns the number of controls; `read`
 * tells where the focus is.
 */
function inPage(step: 'mark' | 'read'): number | Focus {
  const lookOf = (element: Element) => {
    const { outlineStyle, outlineWidth, outlineColor, boxShadow, backgroundColor, borderColor } =
      getComputedStyle(element)
    const outline = outlineStyle === 'none' ? '' : outlineStyle + outlineWidth + outlineColor
    return [outline, boxShadow, backgroundColor, borderColor].join()
  }
  if (step === 'read') {
    const control = document.activeElement as HTMLElement
    const { top, bottom } = control.getBoundingClientRect()
    return {
      index: control.dataset.walk,
      isVisible: lookOf(control) !== control.dataset.look && bottom > 0 && top < innerHeight,
      text: control.outerHTML.slice(0, 120),
    }
  }
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
  const selector = 'a[href], button, input, select, textarea, summary, [tabindex="0"]'
  const controls = [...document.querySelectorAll<HTMLElement>(selector)].filter(
    control =>
      control.checkVisibility({ visibilityProperty: true }) &&
      !control.matches(':disabled, [type="hidden"], [tabindex="-1"]'),
  )
  for (const [index, control] of controls.entries())
    Object.assign(control.dataset, { walk: String(index), look: lookOf(control) })
  return controls.length
}

/** Opens what is folded, and waits until the page has drawn it: some parts are drawn only when they are opened. */
async function unfold(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (const details of document.querySelectorAll('details')) details.open = true
    const frame = () => new Promise(resolve => requestAnimationFrame(resolve))
    for (let height = -1; height !== document.body.scrollHeight; await frame()) {
      height = document.body.scrollHeight
      await frame()
    }
  })
}

/** Where the focus is, once it is on the screen, or when it has not come there. */
async function readFocus(page: Page): Promise<Focus> {
  const read = async () => (await page.evaluate(inPage, 'read' as const)) as Focus
  await waitFor(async () => (await read()).isVisible, { timeoutMs: SETTLE_MS }).catch(() => undefined)
  return read()
}

/** Walks the page by Tab, all folded parts open, and asserts that each control is reached with a visible focus. */
export async function walkByKeyboard(t: Test, page: Page, name: string): Promise<void> {
  await unfold(page)
  const count = (await page.evaluate(inPage, 'mark' as const)) as number
  const reached = new Set<string>()
  const hidden: string[] = []
  for (let presses = 0; presses < MOST_PRESSES && reached.size < count; presses++) {
    await page.keyboard.press('Tab')
    let focus = (await page.evaluate(inPage, 'read' as const)) as Focus
    if (focus.index === undefined) continue
    if (!focus.isVisible && !reached.has(focus.index)) focus = await readFocus(page)
    const { index, isVisible, text } = focus
    if (index === undefined) continue
    if (!isVisible && !reached.has(index)) hidden.push(text)
    reached.add(index)
  }
  const missed = await page.evaluate(
    known =>
      [...document.querySelectorAll<HTMLElement>('[data-walk]')]
        .filter(({ dataset }) => !known.includes(dataset.walk!))
        .map(({ outerHTML }) => outerHTML.slice(0, 120)),
    [...reached],
  )
  t.same(missed, [], `${name}: Tab reaches all of ${count} controls`)
  t.same(hidden, [], `${name}: the focus can be seen on each`)
}

/**
 * Goes to a control by Tab: from the one before it, and where that leaves the page, through all of them.
 * @throws Error when the control does not come, or Tab does not reach it
 */
export async function goByTab(page: Page, control: Locator): Promise<void> {
  await control.waitFor().catch(async () => {
    throw new Error(`${String(control)} did not come; the page: ${await page.locator('main').innerText()}`)
  })
  const isReached = () => control.evaluate(element => element === document.activeElement)
  if (await isReached()) return
  await control.focus()
  await page.keyboard.press('Shift+Tab')
  for (let presses = 0; presses < MOST_PRESSES; presses++) {
    await page.keyboard.press('Tab')
    if (await isReached()) return
  }
  throw new Error(`Tab does not reach ${String(control)}`)
}

/** Presses a button, follows a link or ticks a box, without a mouse. */
export async function press(page: Page, control: Locator, key: 'Enter' | 'Space' = 'Enter'): Promise<void> {
  await goByTab(page, control)
  await page.keyboard.press(key)
}

/** Replaces the text of a field. */
export async function type(page: Page, field: Locator, text: string): Promise<void> {
  await goByTab(page, field)
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText(text)
}
