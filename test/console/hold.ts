// What a test asks of a page holds at some moment: a page that is slow, or that draws in steps, is awaited. A figure that is
// read once would be the figure of whatever the page showed just then.
import { waitFor } from '@payment-tracking/testkit'
import type { Locator } from 'playwright-core'
import type { Test } from 'tap'

/** Long enough for a machine that is busy with other things. */
const TIMEOUT_MS = 20_000

/**
 * Awaits that `read` gives a value that `holds`.
 * @returns that value
 * @throws Error with `what` and the last value, if none held in time
 */
export async function awaitValue<T>(
  read: () => Promise<T>,
  holds: (value: T) => boolean,
  what: string,
): Promise<T> {
  let last: T | undefined
  await waitFor(async () => holds((last = await read())), { timeoutMs: TIMEOUT_MS, what }).catch(() => {
    throw new Error(`${what}: last seen ${JSON.stringify(last)}`)
  })
  return last!
}

/** Asserts that so many elements are there, in the end. */
export async function holdsCount(t: Test, locator: Locator, count: number, what: string): Promise<void> {
  const read = () => locator.count()
  t.equal(await awaitValue(read, seen => seen === count, `${count} × ${String(locator)}`), count, what)
}

/** Asserts that the text of the element matches, in the end. */
export async function holdsText(t: Test, locator: Locator, text: RegExp, what: string): Promise<void> {
  const read = () => locator.innerText()
  t.match(await awaitValue(read, seen => text.test(seen), `the text ${String(text)}`), text, what)
}

/** Asserts that the attribute matches, in the end. */
export async function holdsAttribute(
  t: Test,
  locator: Locator,
  name: string,
  text: RegExp,
  what: string,
): Promise<void> {
  const read = async () => (await locator.getAttribute(name)) ?? ''
  t.match(await awaitValue(read, seen => text.test(seen), `${name} ${String(text)}`), text, what)
}
