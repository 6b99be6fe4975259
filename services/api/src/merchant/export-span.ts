// Which filters a file takes, and how its name says its span.
import { InvalidParameterError } from '../http/api-errors.js'
import type { ExportKind } from './export-lines.js'
import { readBounds } from './read-span.js'

/** Kinds that a span chooses from; of the others a file holds all. */
const WITH_SPAN: readonly ExportKind[] = ['payments', 'revenue', 'series', 'movements']
const SPAN = ['startTime', 'endTime']

/** @throws InvalidParameterError for a filter that the file would ignore */
export function checkFilters(kind: ExportKind, filters: Readonly<Record<string, unknown>>): void {
  for (const name of Object.keys(filters)) {
    if (kind === 'payments' || (WITH_SPAN.includes(kind) && SPAN.includes(name))) continue
    throw new InvalidParameterError(
      name,
      SPAN.includes(name) ? `is for ${WITH_SPAN.join(', ')}` : 'filters payments alone',
    )
  }
}

const dayOf = (seconds: number): string => new Date(seconds * 1_000).toISOString().slice(0, 10)

/** Both days are in the file, in UTC: `payments-<gateway>-2026-11-01-2026-11-30.csv`. Without a span, the day on which it was made. */
export function fileNameOf(
  kind: ExportKind,
  gateway: string,
  span: { startTime?: string; endTime?: string },
  nowMs: number,
): string {
  const { from, to } = readBounds(span)
  const last = dayOf(to === undefined ? Math.floor(nowMs / 1_000) : to - 1)
  return `${[kind, gateway, ...(from === undefined ? [] : [dayOf(from)]), last].join('-')}.csv`
}
