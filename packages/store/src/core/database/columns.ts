// Writers name their columns once: a table of columns gives the list of a statement, its names, and what an existing row
// takes over.
import { join, raw, sql, type Sql } from './sql.js'

/**
 * By the name of a column, its type in Postgres and its value in a row. `lines`: the values travel as one text with line
 * breaks between them, for long values full of quotes without line breaks, which a list would escape; none is null.
 */
export type Columns<Row> = Readonly<
  Record<string, readonly [type: string, pick: (row: Row) => unknown, form?: 'lines']>
>

interface ColumnTable<Row> {
  /** `a, b, c` */
  names: Sql
  /** `b = excluded.b, c = excluded.c`: all columns but the key */
  excluded: Sql
  /** `b = alias.b, c = alias.c`: the same, from a row of `listOf` */
  listed: Sql
  /**
   * `(select unnest(…) as a, unnest(…) as b) as alias`: the same text for any number of rows. In `from`, Postgres would first copy
   * the values of each list into a table of its own.
   */
  listOf(rows: readonly Row[]): Sql
}

/**
 * @param alias of the list in statements
 * @param columns in the order of the list; names and types come from this package, never from a caller
 * @param key columns of the key; default: the first column
 */
export function columnTable<Row>(
  alias: string,
  columns: Columns<Row>,
  key: readonly string[] = Object.keys(columns).slice(0, 1),
): ColumnTable<Row> {
  const names = Object.keys(columns)
  const others = names.filter(name => !key.includes(name))
  const picks = Object.values(columns).map(([type, pick, form]) => ({ type, pick, isText: form === 'lines' }))
  const openings = picks.map(({ isText }) => (isText ? 'string_to_array(' : ''))
  const endings = picks.map(({ type, isText }) => `${isText ? `, E'\\n')` : ''}::${type}[]`)
  // The parts of the text around the values.
  const parts = [
    `(select unnest(${openings[0]}`,
    ...endings.slice(0, -1).map((ending, at) => `${ending}) as ${names[at]}, unnest(${openings[at + 1]}`),
    `${endings.at(-1)}) as ${names.at(-1)}) as ${alias}`,
  ]
  return {
    names: raw(names.join(', ')),
    excluded: raw(others.map(name => `${name} = excluded.${name}`).join(', ')),
    listed: raw(others.map(name => `${name} = ${alias}.${name}`).join(', ')),
    listOf: rows =>
      sql(
        parts,
        ...picks.map(({ pick, isText }) => {
          const values = rows.map(row => pick(row))
          return isText ? values.join('\n') : values
        }),
      ),
  }
}

/** `value as "name", …`: what a statement answers, where the compiler asks for a value of each field of a row. */
export const namedColumns = <Row>(values: Readonly<Record<keyof Row & string, Sql>>): Sql =>
  join(Object.entries<Sql>(values).map(([name, value]) => sql`${value} as ${raw(`"${name}"`)}`))
