// docs/degradation.md as data: what it says of readiness.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export interface Row {
  /** The heading above its table. */
  section: string
  /** The first cell: a service, or who else the row is about. */
  subject: string
  /** The lines of readiness that are not ok, where the table has that column. */
  missing: string[] | undefined
}

const DOCUMENT = fileURLToPath(new URL('../../docs/degradation.md', import.meta.url))

export function readDocument(): Row[] {
  const rows: Row[] = []
  let section = ''
  let heads: string[] = []
  for (const line of readFileSync(DOCUMENT, 'utf8').split('\n')) {
    section = /^## (.*)/.exec(line)?.[1] ?? section
    if (!line.startsWith('|')) heads = []
    if (!line.startsWith('|') || /^\| -/.test(line)) continue
    const cells = line
      .slice(1, -1)
      .split('|')
      .map(cell => cell.trim())
    if (heads.length === 0) {
      heads = cells
      continue
    }
    const cell = (head: string) => cells[heads.indexOf(head)]
    const ready = cell('`/readyz`')
    rows.push({
      section,
      subject: cells[0]!,
      missing: ready === undefined ? undefined : [...ready.matchAll(/`(\w+)`/g)].map(([, name]) => name!),
    })
  }
  return rows
}
