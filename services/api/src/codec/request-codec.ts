// Turns what a client sent into what a schema asks for, strictly: nothing is guessed, cut or ignored, and every
// refusal names the parameter or field.
import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import Value from 'typebox/value'
import { ApiError, InvalidParameterError } from '../http/api-errors.js'
import { FORMATS } from '../http/formats.js'
import type { SentQuery } from '../http/query-string.js'

/** The keywords of JSON Schema that parameters use here. */
interface ParameterSchema {
  type?: string
  format?: string
  minimum?: number
  maximum?: number
  default?: unknown
}

interface ParametersSchema {
  properties: Record<string, ParameterSchema>
  required?: string[]
}

/** Names come back in a refusal, cut to what a person can read. */
const shown = (name: string): string => (name.length > 64 ? `${name.slice(0, 64)}…` : name)

function readInteger(name: string, schema: ParameterSchema, text: string): number {
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = schema
  const value = /^-?\d+$/.test(text) ? Number(text) : NaN
  if (!(value >= minimum && value <= maximum)) {
    throw new InvalidParameterError(name, `must be a whole number from ${minimum} to ${maximum}`)
  }
  return value
}

function readBoolean(name: string, text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new InvalidParameterError(name, 'must be true or false')
  return text === 'true'
}

/** Text of a parameter in the type its schema asks for. */
function readParameter(name: string, schema: ParameterSchema, text: string): unknown {
  if (schema.type === 'integer') return readInteger(name, schema, text)
  if (schema.type === 'boolean') return readBoolean(name, text)
  const format = schema.format === undefined ? undefined : FORMATS[schema.format]
  if (format && !format.accepts(text)) throw new InvalidParameterError(name, format.problem)
  const [error] = format ? [] : Value.Errors(schema as TSchema, text)
  if (error) throw new InvalidParameterError(name, error.message)
  // Postgres has no text with NUL in it; nothing that could match would be found.
  if (text.includes('\0')) throw new InvalidParameterError(name, 'must not hold NUL')
  return text
}

function readQuery(schema: ParametersSchema, query: SentQuery): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  for (const [name, values] of Object.entries(query)) {
    const parameter = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined
    if (!parameter) throw new InvalidParameterError(shown(name), 'is not known here')
    const given = values.filter(value => value !== '')
    if (given.length > 1) throw new InvalidParameterError(name, 'is given more than once')
    const [text] = given
    if (text === null) throw new InvalidParameterError(name, 'is not properly percent-encoded')
    if (text !== undefined) result[name] = readParameter(name, parameter, text)
  }
  for (const [name, parameter] of Object.entries(schema.properties)) {
    if (result[name] === undefined && parameter.default !== undefined) result[name] = parameter.default
    if (result[name] === undefined && schema.required?.includes(name)) {
      throw new InvalidParameterError(name, 'is missing')
    }
  }
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

/** `/a/b` as `a.b`; the body itself when the error is not in a field. */
const fieldOf = (path: string): string => path.slice(1).replaceAll('/', '.')

function readBody(schema: TSchema, body: unknown): unknown {
  const [error] = Value.Errors(schema, body)
  if (!error) return body
  const field = fieldOf(error.instancePath)
  throw new ApiError(
    'INVALID_BODY',
    field === '' ? `The body ${error.message}.` : `Field ${shown(field)} ${error.message}.`,
  )
}

/** Compiles a route's schema into the reading of its path, query or body. */
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
