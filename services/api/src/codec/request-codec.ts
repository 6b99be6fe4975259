// Converts a client's request to the types of a schema, strictly: nothing is guessed, cut or ignored, and every refusal
// names the parameter or field.
import type { FastifySchemaCompiler } from 'fastify'
import { schemaProblem } from '@payment-tracking/runtime'
import type { TSchema } from 'typebox'
import { ApiError, InvalidParameterError, MissingParametersError } from '../http/api-errors.js'
import { FORMATS } from '../http/formats.js'
import { nearestName } from '../http/nearest-name.js'
import type { SentQuery } from '../http/query-string.js'

/** The keywords of JSON Schema that parameters use here. */
interface ParameterSchema {
  type?: string
  format?: string
  minimum?: number
  maximum?: number
  default?: unknown
  /** a number beyond `maximum` counts as `maximum`, and a number below `minimum` as the default */
  clamped?: boolean
  anyOf?: ParameterSchema[]
}

interface ParametersSchema {
  properties: Record<string, ParameterSchema>
  required?: string[]
}

/** A refusal repeats the name, cut to a readable length. */
const shown = (name: string): string => (name.length > 64 ? `${name.slice(0, 64)}…` : name)

const clamp = ({ minimum, maximum, default: usual }: ParameterSchema, value: number): number =>
  value > maximum! ? maximum! : value < minimum! ? (usual as number) : value

function readInteger(name: string, schema: ParameterSchema, text: string): number {
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = schema
  const sent = /^-?\d+$/.test(text) ? Number(text) : NaN
  const value = schema.clamped ? clamp(schema, sent) : sent
  if (!(value >= minimum && value <= maximum)) {
    throw new InvalidParameterError(name, `must be a whole number from ${minimum} to ${maximum}`)
  }
  return value
}

function readBoolean(name: string, text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new InvalidParameterError(name, 'must be true or false')
  return text === 'true'
}

/** Converts a parameter's text to the type in its schema. */
function readParameter(name: string, schema: ParameterSchema, text: string): unknown {
  if (schema.type === 'integer') return readInteger(name, schema, text)
  if (schema.type === 'boolean') return readBoolean(name, text)
  const format = schema.format === undefined ? undefined : FORMATS[schema.format]
  if (format && !format.accepts(text)) throw new InvalidParameterError(name, format.problem)
  const wrong = format ? null : schemaProblem(schema, text)
  if (wrong) throw new InvalidParameterError(name, wrong.problem)
  // Postgres text cannot hold NUL, so nothing could match.
  if (text.includes('\0')) throw new InvalidParameterError(name, 'must not hold NUL')
  return text
}

const notKnown = (name: string, known: readonly string[]): string =>
  known.length === 0
    ? 'is not known here: this path takes none'
    : `is not known here: the nearest name is ${nearestName(name, known)}; known are ${known.join(', ')}`

function readQuery(schema: ParametersSchema, query: SentQuery): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  for (const [name, values] of Object.entries(query)) {
    const parameter = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined
    if (!parameter)
      throw new InvalidParameterError(shown(name), notKnown(name, Object.keys(schema.properties)))
    if (values.length > 1) throw new InvalidParameterError(name, 'is given more than once')
    const [text] = values
    if (text === null || text === undefined)
      throw new InvalidParameterError(name, 'is not properly percent-encoded')
    // A filter that is dropped would answer with everything.
    if (text !== '') result[name] = readParameter(name, parameter, text)
    else if (!parameter.clamped)
      throw new InvalidParameterError(name, 'is empty: give it a value, or leave it out')
  }
  for (const [name, parameter] of Object.entries(schema.properties)) {
    if (result[name] === undefined && parameter.default !== undefined) result[name] = parameter.default
  }
  const missing = schema.required?.filter(name => result[name] === undefined) ?? []
  if (missing.length > 0) throw new MissingParametersError(missing)
  return result
}

function readPath(schema: ParametersSchema, path: Record<string, string>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(path).map(([name, text]) => {
      const parameter = schema.properties[name]
      return [name, parameter ? readParameter(name, parameter, text) : text]
    }),
  )
}

const invalidBody = (field: string, problem: string): ApiError =>
  new ApiError('INVALID_BODY', field === '' ? `The body ${problem}.` : `Field ${shown(field)} ${problem}.`)

/** Whether any text in a JSON value holds NUL. Postgres cannot store NUL. */
const holdsNul = (value: unknown): boolean =>
  typeof value === 'string'
    ? value.includes('\0')
    : typeof value === 'object' && value !== null && Object.values(value).some(holdsNul)

/** The format of a field, also of a field that may be null. */
const formatOf = (field: ParameterSchema | undefined): string | undefined =>
  field?.format ?? field?.anyOf?.find(({ format }) => format !== undefined)?.format

const toCamelCase = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** A field that the specification names in snake_case may also be sent in camelCase, as answers name it. */
function renameFields(known: readonly string[], body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const renamed = { ...body } as Record<string, unknown>
  for (const name of known) {
    const alias = toCamelCase(name)
    if (alias === name || !Object.hasOwn(renamed, alias)) continue
    if (Object.hasOwn(renamed, name)) throw invalidBody(alias, `is given twice: it is ${name} too`)
    renamed[name] = renamed[alias]
    delete renamed[alias]
  }
  return renamed
}

function readBody(schema: TSchema, sent: unknown): unknown {
  const fields = (schema as Partial<ParametersSchema>).properties ?? {}
  const body = renameFields(Object.keys(fields), sent)
  const wrong = schemaProblem(schema, body)
  if (wrong) throw invalidBody(wrong.field, wrong.problem)
  for (const [name, value] of Object.entries((body ?? {}) as Record<string, unknown>)) {
    if (holdsNul(value)) throw invalidBody(name, 'must not hold NUL')
    const format = FORMATS[formatOf(fields[name]) ?? '']
    if (format && typeof value === 'string' && !format.accepts(value)) throw invalidBody(name, format.problem)
  }
  return body
}

/** Compiles a route's schema into a reader of its path, query or body. */
export const compileReader: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const parameters = schema as unknown as ParametersSchema
  const read = (input: unknown): unknown => {
    if (httpPart === 'querystring') return readQuery(parameters, input as SentQuery)
    if (httpPart === 'params') return readPath(parameters, input as Record<string, string>)
    return readBody(schema, input)
  }
  return (input: unknown) => {
    try {
      return { value: read(input) }
    } catch (error) {
      return { error: error as Error }
    }
  }
}
