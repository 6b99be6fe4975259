// The rows of docs/degradation.md, each with the test that holds it; and the tests of what an endpoint may do.
import { readFileSync } from 'node:fs'
import { drawTable, replaceTables } from '../documents/table.js'

export interface Row {
  /** a service, or who else the row is about */
  service: string
  /** what readiness says; absent where a process is dead */
  readyz?: string
  meanwhile: string
  back: string
  file: string
  title: string
}

/** By the heading above the table, in the order of the document. */
export const ROWS = JSON.parse(readFileSync(new URL('rows.json', import.meta.url), 'utf8')) as Record<
  string,
  Row[]
>

/** @returns the lines of readiness that are not ok, by the row of a service in a section; undefined without such a row */
export const missingOf = (section: string, service: string): string[] | undefined => {
  const row = ROWS[section]?.find(each => each.service === service)
  return row?.readyz === undefined ? undefined : [...row.readyz.matchAll(/`(\w+)`/g)].map(([, name]) => name!)
}

/** @returns docs/degradation.md with these rows */
export const withRows = (document: string): string =>
  replaceTables(
    document,
    Object.values(ROWS).map(rows =>
      rows[0]!.readyz === undefined
        ? drawTable([
            ['service', 'when it is killed', 'back'],
            ...rows.map(({ service, meanwhile, back }) => [service, meanwhile, back]),
          ])
        : drawTable([
            ['service', '`/readyz`', 'meanwhile', 'back'],
            ...rows.map(({ service, readyz, meanwhile, back }) => [service, readyz!, meanwhile, back]),
          ]),
    ),
  )

/** What an endpoint may do, and the test that no other one notices: a file and a title. */
export const ENDPOINTS_HELD_BY: readonly (readonly [file: string, title: string])[] = [
  [
    'services/webhook-worker/test/delivery.test.ts',
    'sends 4 requests to a failing endpoint, backed off, with the same bytes and id',
  ],
  [
    'services/webhook-worker/test/isolation.long.test.ts',
    'with hanging and refusing endpoints beside them, healthy ones get theirs at once',
  ],
  [
    'packages/domain/test/delivery-breaker.test.ts',
    'after the cool-down one probe goes; an answer closes the breaker, silence opens it again',
  ],
  [
    'services/webhook-worker/test/delivery.test.ts',
    'heeds Retry-After, and a recovered endpoint is delivered by a retry',
  ],
  [
    'services/webhook-worker/test/delivery.test.ts',
    'deactivates on 410: the delivery fails at once, the others are cancelled',
  ],
  [
    'services/webhook-worker/test/maintenance.long.test.ts',
    'five days of nothing but failures deactivate it, and cancel what is open',
  ],
]
