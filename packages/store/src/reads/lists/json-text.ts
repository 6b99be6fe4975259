// JSON that Postgres writes. Postgres joins the parts of a record several times faster than it builds JSON
// (`json_build_object`), or than this process reads the columns of each row and writes the JSON itself.
import { raw, sql, type Sql } from '../../core/database/sql.js'

/** A field's value in SQL. Not null, unless `nullable`. */
export interface JsonField {
  /** text that is valid JSON, or part of a JSON text if `quote` */
  value: Sql
  /** puts quotes around the value, which must hold nothing that JSON escapes */
  quote: boolean
  nullable: boolean
}

/** A text that holds no quotes, backslashes or control characters: keys, names and times. */
export const plainText = (value: Sql): JsonField => ({ value, quote: true, nullable: false })
/** A text that a stranger chose. */
export const anyText = (value: Sql): JsonField => ({
  value: sql`to_json(${value})::text`,
  quote: false,
  nullable: false,
})
/** A number, or JSON that is passed on. */
export const asItIs = (value: Sql): JsonField => ({
  value: sql`${value}::text`,
  quote: false,
  nullable: false,
})
/** SQL's null is JSON's null. */
export const orNull = (field: JsonField): JsonField => ({ ...field, nullable: true })

type Part = string | Sql
const literal = (text: string): Sql => raw(`'${text}'`)

/** Joins neighbouring constants, so that Postgres joins fewer parts. */
function merge(parts: readonly Part[]): Sql[] {
  const merged: Part[] = []
  for (const part of parts) {
    const last = merged.at(-1)
    if (typeof part === 'string' && typeof last === 'string') merged[merged.length - 1] = last + part
    else merged.push(part)
  }
  return merged.map(part => (typeof part === 'string' ? literal(part) : part))
}

/** Joins in pairs: from left to right, Postgres would copy the text so far once for each part. */
function joined(parts: readonly Sql[]): Sql {
  if (parts.length === 1) return parts[0]!
  const half = Math.ceil(parts.length / 2)
  return sql`(${joined(parts.slice(0, half))} || ${joined(parts.slice(half))})`
}

/** The texts one after the other. None may be null. */
export const concatenated = (parts: readonly Part[]): Sql => joined(merge(parts))

/** `"name":value` of each field, with a comma before each. */
export const fieldParts = (fields: Readonly<Record<string, JsonField>>): Part[] =>
  Object.entries(fields).flatMap(([name, { value, quote, nullable }]): Part[] => {
    const [open, close] = quote ? ['"', '"'] : ['', '']
    const opening = `,"${name}":${open}`
    if (!nullable) return [opening, value, close]
    const given =
      close === '' ? sql`${literal(opening)} || ${value}` : sql`${literal(opening)} || ${value} || '"'`
    return [sql`coalesce(${given}, ${literal(`,"${name}":null`)})`]
  })
