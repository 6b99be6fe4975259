// The pictures of the guides. The browser tests take them when UPDATE_SCREENSHOTS is set, and note what each shows: the
// built pages. A test compares the note with the pages of today, so that no picture stays behind unnoticed.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

const ROOT = new URL('../../', import.meta.url)
const NOTE = fileURLToPath(new URL('docs/pictures.json', ROOT))
const at = (path: string) => fileURLToPath(new URL(path, ROOT))

const CONSOLE = ['services/console/dist/site/index.html']
/** Where each picture lies, and the files that decide how its page looks. */
export const PICTURES = {
  'console-overview': { file: 'docs/guides/console-overview.png', shows: CONSOLE },
  'console-phone': { file: 'docs/guides/console-phone.png', shows: CONSOLE },
  'console-payments': { file: 'docs/guides/console-payments.png', shows: CONSOLE },
  'console-payment': { file: 'docs/guides/console-payment.png', shows: CONSOLE },
  'console-subscription': { file: 'docs/guides/console-subscription.png', shows: CONSOLE },
  'console-endpoint': { file: 'docs/guides/console-endpoint.png', shows: CONSOLE },
  'console-revenue': { file: 'docs/guides/console-revenue.png', shows: CONSOLE },
  'ops-dashboard': {
    file: 'docs/ops-dashboard.png',
    shows: ['services/ops/src/board.ts', 'services/ops/package.json'],
  },
} as const
export type Picture = keyof typeof PICTURES

/** A file, and what it loads if it is a page. The folder may hold files of earlier builds as well. */
function filesOf(path: string): string[] {
  if (!path.endsWith('.html')) return [path]
  const names = readFileSync(at(path), 'utf8').matchAll(/"\/console\/(assets\/[^"]+)"/g)
  return [...names].map(([, name]) => `${dirname(path)}/${name}`)
}

/** A digest of what the picture shows. */
export function digestOf(picture: Picture): string {
  const digest = createHash('sha256')
  for (const file of PICTURES[picture].shows.flatMap(filesOf).sort()) digest.update(readFileSync(at(file)))
  return digest.digest('hex').slice(0, 16)
}

export const readNote = (): Partial<Record<Picture, string>> =>
  existsSync(NOTE) ? (JSON.parse(readFileSync(NOTE, 'utf8')) as Partial<Record<Picture, string>>) : {}

const SCHEMES = ['light', 'dark'] as const
const PHONE_WIDTH = 390
const DESKTOP = { width: 1440, height: 900 }

/** The files of a picture: one for readers whose pages are light, one for the others. */
export const filesOfPicture = (picture: Picture): Record<(typeof SCHEMES)[number], string> => {
  const { file } = PICTURES[picture]
  return { light: file, dark: file.replace(/\.png$/, '-dark.png') }
}

/** Takes the picture in both schemes and notes what it shows, if UPDATE_SCREENSHOTS is set. */
export async function keepPicture(page: Page, picture: Picture): Promise<void> {
  if (!process.env.UPDATE_SCREENSHOTS) return
  const size = page.viewportSize()!
  if (size.width > PHONE_WIDTH) await page.setViewportSize(DESKTOP)
  await page.evaluate(() => scrollTo(0, 0))
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.screenshot({ path: at(filesOfPicture(picture)[colorScheme]) })
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize(size)
  writeFileSync(NOTE, `${JSON.stringify({ ...readNote(), [picture]: digestOf(picture) }, null, 2)}\n`)
}
