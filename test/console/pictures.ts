// The pictures of the guides. The browser tests take them when UPDATE_SCREENSHOTS is set, and note what each shows: the
// built pages. A test compares the note with the pages of today, so that no picture stays behind unnoticed.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

const ROOT = new URL('../../', import.meta.url)
const NOTE = fileURLToPath(new URL('docs/pictures.json', ROOT))
const at = (path: string) => fileURLToPath(new URL(path, ROOT))

const CONSOLE = ['services/console/dist/site/assets']
/** Where each picture lies, and the files that decide how its page looks. */
export const PICTURES = {
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

/** A digest of what the picture shows. */
export function digestOf(picture: Picture): string {
  const digest = createHash('sha256')
  for (const path of PICTURES[picture].shows) {
    const isFolder = !/\.\w+$/.test(path)
    for (const file of isFolder ? readdirSync(at(path)).sort() : [''])
      digest.update(readFileSync(at(isFolder ? `${path}/${file}` : path)))
  }
  return digest.digest('hex').slice(0, 16)
}

export const readNote = (): Partial<Record<Picture, string>> =>
  existsSync(NOTE) ? (JSON.parse(readFileSync(NOTE, 'utf8')) as Partial<Record<Picture, string>>) : {}

/** Takes the picture and notes what it shows, if UPDATE_SCREENSHOTS is set. */
export async function keepPicture(page: Page, picture: Picture): Promise<void> {
  if (!process.env.UPDATE_SCREENSHOTS) return
  await page.screenshot({ path: at(PICTURES[picture].file) })
  writeFileSync(NOTE, `${JSON.stringify({ ...readNote(), [picture]: digestOf(picture) }, null, 2)}\n`)
}
