// A schema writes each answer: only declared fields leave, in the order of their declaration. Integers may be bigints
// and are never rounded. A schema marked `rawJson` takes JSON text and passes the text on unchanged. The usual
// serialisers change the digits of `data`.
import type { FastifySerializerCompiler } from 'fastify'
import type { TSchema } from 'typebox'

type Write = (value: unknown) => string

interface AnswerSchema {
  type?: string
  properties?: Record<string, AnswerSchema>
  required?: readonly string[]
  items?: AnswerSchema
  anyOf?: readonly AnswerSchema[]
  rawJson?: boolean
}

/**
 * Quotes, backslashes, control characters and lone surrogates: the characters that JSON must escape. Keys, times and
 * names hold none of them, and a test is cheaper than escaping.
 */
const TO_ESCAPE = /[^ !#-[\]-\ud7ff\ue000-\uffff]/
const writeText: Write = value =>
  typeof value === 'string' && !TO_ESCAPE.test(value) ? `"${value}"` : JSON.stringify(value)

const writeNumber: Write = value => {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  throw new TypeError('an answer holds something else where its schema has a number')
}

function compileObject(schema: AnswerSchema): Write {
  const fields = Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    name,
    prefix: `${JSON.stringify(name)}:`,
    write: compileWriter(property),
    isRequired: schema.required?.includes(name) ?? false,
  }))
  return value => {
    const record = value as Record<string, unknown>
    let text = ''
    for (const { name, prefix, write, isRequired } of fields) {
      const field = record[name]
      if (field === undefined) {
        if (isRequired) throw new TypeError(`an answer lacks ${name}`)
        continue
      }
      text += `${text === '' ? '' : ','}${prefix}${write(field)}`
    }
    return `{${text}}`
  }
}

/** Null, array or object: the alternatives of an answer always differ at least in this. */
function compileAlternatives(alternatives: readonly AnswerSchema[]): Write {
  const kindOf = (schema: AnswerSchema) =>
    schema.type === 'null' || schema.type === 'array' ? schema.type : 'other'
  const writers = new Map(alternatives.map(schema => [kindOf(schema), compileWriter(schema)]))
  return value => {
    const kind = value === null ? 'null' : Array.isArray(value) ? 'array' : 'other'
    const write = writers.get(kind)
    if (!write) throw new TypeError(`an answer holds ${kind} where its schema has none`)
    return write(value)
  }
}

function compileWriter(schema: AnswerSchema): Write {
  if (schema.rawJson) return value => value as string
  if (schema.anyOf) return compileAlternatives(schema.anyOf)
  switch (schema.type) {
    case 'object':
      return compileObject(schema)
    case 'array': {
      const write = compileWriter(schema.items!)
      return value => `[${(value as unknown[]).map(write).join(',')}]`
    }
    case 'integer':
    case 'number':
      return writeNumber
    case 'null':
      return () => 'null'
    case 'string':
    case 'boolean':
    case undefined:
    default:
      return writeText
  }
}

export const compileAnswerWriter: FastifySerializerCompiler<TSchema> = ({ schema }) => compileWriter(schema)
