// The fields of a schema as the rows of a table.
import { escape, write } from '../pages/frame.js'

export interface Schema {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  description?: string
}

/** A schema that holds itself ends there. */
const DEEPEST = 5

/** @param schemas those that others refer to, by name */
export function buildSchemaRows(schemas: Record<string, Schema>) {
  const resolve = (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : { ...schemas[schema.$ref.split('/').at(-1)!], ...schema }
  const typeOf = (schema: Schema): string => {
    const { $ref, type, anyOf, items, const: only, enum: choices } = schema
    if ($ref !== undefined) return $ref.split('/').at(-1)!
    if (only !== undefined) return JSON.stringify(only)
    if (choices !== undefined) return choices.map(choice => JSON.stringify(choice)).join(' | ')
    if (anyOf !== undefined) return anyOf.map(typeOf).join(' | ')
    return items === undefined ? [type ?? 'any'].flat().join(' | ') : `${typeOf(items)}[]`
  }
  const rowsOf = (given: Schema, prefix = '', depth = 0): string => {
    if (depth > DEEPEST) return ''
    const { properties = {}, required = [], anyOf = [], items } = resolve(given)
    const rows = Object.entries(properties).map(([name, schema]) => {
      const path = `${prefix}${name}`
      const inner = rowsOf(resolve(schema).items ?? schema, `${path}.`, depth + 1)
      const { description = '' } = resolve(schema)
      return `<tr><td><code>${escape(path)}${required.includes(name) ? '' : '?'}</code></td><td><code>${escape(typeOf(schema))}</code></td><td>${write(description)}</td></tr>${inner}`
    })
    const alternatives = anyOf
      .filter(({ type }) => type !== 'null')
      .map(schema => rowsOf(schema, prefix, depth + 1))
    return [...rows, ...alternatives, items === undefined ? '' : rowsOf(items, prefix, depth + 1)].join('')
  }
  return { rowsOf, typeOf }
}
