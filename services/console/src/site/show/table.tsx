// A table on a desk, cards on a phone: one markup, and the style decides.
import { memo, type CSSProperties, type Key, type MouseEvent, type ReactNode } from 'react'
import type { AmountWidths } from './amount.js'
import { sentenceCase } from './sentence-case.js'
import { useInSteps } from './use-in-steps.js'

export interface Column<Row> {
  head: string
  cell: (row: Row) => ReactNode
  kind?: 'number' | 'text'
  /**
   * On a phone: `lead` stands first and large, `side` beside it; all others stand below, each with its name. `away` is
   * not shown there, nor on a tablet, so that the last column is seen without scrolling. `below` is a sentence: it stands
   * under its name.
   */
  phone?: 'lead' | 'side' | 'away' | 'below'
  /** `away`: only a phone's card and a desk have place for it */
  tablet?: 'away'
}

export interface TableProps<Row> {
  title: string
  rows: readonly Row[]
  columns: readonly Column<Row>[]
  keyOf: (row: Row) => Key
  /** `amountWidths` of its amounts, so that their points stand below each other */
  widths?: AmountWidths
}

/**
 * The region can be reached by keyboard, because a table that is wider than its place scrolls. The roles are there because
 * browsers forget them for cells that the style shows as blocks.
 */
export function Table<Row>({ title, rows, columns, keyOf, widths }: TableProps<Row>) {
  const drawn = useInSteps(rows.length)
  return (
    <div
      className="scroll cards"
      role="region"
      aria-label={title}
      tabIndex={0}
      style={widths && ({ '--fraction': widths.fraction, '--symbol': widths.symbol } as CSSProperties)}
    >
      <table role="table">
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ head, kind, phone, tablet }) => (
              <th
                key={head}
                role="columnheader"
                scope="col"
                className={[kind, phone === 'away' && phone, tablet && 'tablet-away']
                  .filter(Boolean)
                  .join(' ')}
              >
                {sentenceCase(head)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.slice(0, drawn).map(row => (
            <Row key={keyOf(row)} row={row} columns={columns} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The whole row leads where its link does, but for what can be pressed itself, and for text that somebody marks. */
function followRow({ target, currentTarget, ctrlKey, metaKey }: MouseEvent<HTMLElement>): void {
  if ((target as HTMLElement).closest('a, button, input, label, select')) return
  const link = currentTarget.querySelector<HTMLAnchorElement>('.row-link')
  if (!link || getSelection()?.type === 'Range') return
  if (ctrlKey || metaKey) window.open(link.href, '_blank', 'noopener')
  else link.click()
}

function RowOf<Row>({ row, columns }: { row: Row; columns: readonly Column<Row>[] }) {
  return (
    <tr role="row" onClick={followRow}>
      {columns.map(({ head, cell, kind, phone, tablet }) => (
        <td
          key={head}
          role="cell"
          data-label={sentenceCase(head)}
          className={[kind, phone, tablet && 'tablet-away'].filter(Boolean).join(' ')}
        >
          {cell(row)}
        </td>
      ))}
    </tr>
  )
}

/** A new payment at the top must not draw the hundred below it anew. */
const Row = memo(RowOf) as typeof RowOf
