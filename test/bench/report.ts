// The report of a run: its rows, the machine, and the table for readers.
import type { Measure, Row } from './bench.js'

export interface ReportedRow extends Row {
  bench: string
}

export interface Report {
  machine: string
  /** of Node and the servers, as they say themselves */
  versions: Record<string, string>
  rows: ReportedRow[]
}

const round = (figure: number) =>
  figure >= 100 || figure === 0 ? Math.round(figure).toLocaleString('en') : figure.toPrecision(3)
const spread = ({ median, min, max }: Measure) =>
  min === max ? round(median) : `${round(median)} (${round(min)}–${round(max)})`

/** Subject over limit: better larger for rates, smaller for times and sizes. */
const ratioOf = (row: Row): string =>
  row.limit ? (row.measured.median / row.limit.measured.median).toFixed(2) : ''

/** The rows as a Markdown table, with their notes below it. */
export function renderTable(rows: readonly ReportedRow[]): string {
  const table = [
    '| bench | subject | median (min–max) | unit | limit | median (min–max) | ratio |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...rows.map(row => {
      const limit = row.limit ? `${row.limit.name} | ${spread(row.limit.measured)}` : ' | '
      return `| ${row.bench} | ${row.subject} | ${spread(row.measured)} | ${row.unit} | ${limit} | ${ratioOf(row)} |`
    }),
  ]
  // Rows of a bench often share a note.
  const notes = new Set(rows.flatMap(({ bench, note }) => (note ? [`- ${bench}: ${note}`] : [])))
  return [...table, ...(notes.size > 0 ? ['', ...notes] : [])].join('\n')
}

/** One line about where it was measured. */
export const renderMachine = ({ machine, versions }: Report): string =>
  `${machine}; ${Object.entries(versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ')}`

/**
 * Names a row in every run and every checkout. Some subjects end with what the run itself found: times, rows that were
 * read, how many indexes there are. Rows of one subject can differ in their unit.
 */
export const keyOf = ({ bench, subject, unit }: Pick<ReportedRow, 'bench' | 'subject' | 'unit'>): string =>
  [bench, subject.replace(/( \([^()]*\)|, \d+ indexes)$/, ''), unit].join('\n')
