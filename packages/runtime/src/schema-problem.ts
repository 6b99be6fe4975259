// Describes in plain words why a value does not fit a schema. The messages of JSON Schema name keywords ("schema is
// false", "must be equal to one of the allowed values") and leave out the allowed values.
import type { TSchema } from 'typebox'
import Value from 'typebox/value'

export interface SchemaProblem {
  /** the member that is wrong, such as `a.b`; empty for the value itself */
  field: string
  /** follows the name of the member: `must be one of x, y` */
  problem: string
}

/** The parts of a schema that sentences are made of. */
interface Shape {
  type?: string
  properties?: Record<string, unknown>
  anyOf?: readonly Shape[]
  const?: unknown
  enum?: readonly unknown[]
  minimum?: number
  maximum?: number
}

interface SchemaError {
  keyword: string
  /** a JSON pointer to the part of the schema, after `#` */
  schemaPath: string
  /** a JSON pointer to the part of the value */
  instancePath: string
  params: unknown
  message: string
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
  null: 'null',
}

const fieldOf = (pointer: string): string => pointer.slice(1).replaceAll('/', '.')

function shapeAt(schema: TSchema, path: string): Shape {
  let shape: unknown = schema
  for (const key of path.slice(1).split('/').slice(1))
    shape = (shape as Record<string, unknown> | undefined)?.[key]
  return shape ?? {}
}

const count = (limit: unknown, what: string): string => `${String(limit)} ${what}${limit === 1 ? '' : 's'}`

const list = (values: readonly unknown[]): string => values.map(value => String(value)).join(', ')

/** An alternative of a union, in a few words. */
const nameOf = ({ type, const: only, enum: allowed }: Shape): string =>
  only !== undefined
    ? list([only])
    : allowed
      ? `one of ${list(allowed)}`
      : (TYPES[type ?? ''] ?? 'another form')

function boundsOf({ minimum, maximum }: Shape): string {
  if (minimum !== undefined && maximum !== undefined) return `must be from ${minimum} to ${maximum}`
  return minimum === undefined ? `must be at most ${maximum}` : `must be at least ${minimum}`
}

function describe(schema: TSchema, { keyword, schemaPath, params, message }: SchemaError): string {
  const shape = shapeAt(schema, schemaPath)
  const given = params as Record<string, unknown>
  switch (keyword) {
    case 'type':
      return `must be ${TYPES[String(given.type)] ?? String(given.type)}`
    case 'enum':
      return `must be one of ${list(given.allowedValues as unknown[])}`
    case 'const':
      return `must be ${String(given.allowedValue)}`
    case 'anyOf':
      return `must be ${(shape.anyOf ?? []).map(nameOf).join(' or ')}`
    case 'minimum':
    case 'maximum':
      return boundsOf(shape)
    case 'minLength':
      return `must have at least ${count(given.limit, 'character')}`
    case 'maxLength':
      return `must have at most ${count(given.limit, 'character')}`
    case 'minItems':
      return `must have at least ${count(given.limit, 'item')}`
    case 'maxItems':
      return `must have at most ${count(given.limit, 'item')}`
    case 'uniqueItems':
      return 'must not name an item twice'
    case 'minProperties':
      return `must have at least ${String(given.limit)} of ${list(Object.keys(shape.properties ?? {}))}`
    default:
      return message
  }
}

/** A member that the schema does not know, outside of any union: a union's other alternative may know it. */
const isUnknownMember = ({ schemaPath }: SchemaError): boolean =>
  schemaPath.endsWith('/additionalProperties') && !schemaPath.includes('/anyOf/')

/**
 * The first thing that is wrong with a value. A member that is not known comes before one that is missing: it is mostly the
 * missing one under another name.
 * @returns null when the value fits the schema
 */
export function schemaProblem(schema: TSchema, value: unknown): SchemaProblem | null {
  const errors = Value.Errors(schema, value) as SchemaError[]
  const first = errors.find(isUnknownMember) ?? errors[0]
  if (!first) return null
  const { instancePath, schemaPath } = first
  if (first.keyword === 'required') {
    const [missing] = (first.params as { requiredProperties: string[] }).requiredProperties
    return { field: fieldOf(`${instancePath}/${missing}`), problem: 'is missing' }
  }
  const outer = /^(.*)\/additionalProperties$/.exec(schemaPath)?.[1]
  if (outer !== undefined) {
    const known = Object.keys(shapeAt(schema, outer).properties ?? {})
    return { field: fieldOf(instancePath), problem: `is not known here; known are ${list(known)}` }
  }
  // The message about a union names all alternatives, not only the first.
  const union = errors.find(
    ({ keyword, schemaPath: path, instancePath: at }) =>
      keyword === 'anyOf' && schemaPath.startsWith(`${path}/anyOf/`) && at === instancePath,
  )
  return { field: fieldOf(instancePath), problem: describe(schema, union ?? first) }
}
