// Tables of documents that tests write: each stands between two comments, and is not edited by hand.

const [BEGIN, END] = ['<!-- table: begin -->', '<!-- table: end -->']

/** @param cells the head, then the rows */
export function drawTable(cells: readonly string[][]): string {
  const widths = cells[0]!.map((_, at) => Math.max(...cells.map(row => row[at]!.length)))
  const lines = cells.map(row => `| ${row.map((cell, at) => cell.padEnd(widths[at]!)).join(' | ')} |`)
  lines.splice(1, 0, `| ${widths.map(width => '-'.repeat(width)).join(' | ')} |`)
  return lines.join('\n')
}

/** @returns the document with these tables in the places of those that it has */
export function replaceTables(document: string, tables: readonly string[]): string {
  const parts = document.split(BEGIN)
  if (parts.length !== tables.length + 1) throw new Error(`the document has ${parts.length - 1} tables`)
  return parts
    .map((part, at) => (at === 0 ? part : `${BEGIN}\n\n${tables[at - 1]}\n\n${END}${part.split(END)[1]}`))
    .join('')
}

/** @returns the document with this in the place of one of its tables, counted from 0 */
export const replaceTable = (document: string, at: number, table: string): string =>
  replaceTables(
    document,
    document
      .split(BEGIN)
      .slice(1)
      .map((part, each) => (each === at ? table : part.split(END)[0]!.trim())),
  )
