// The OpenAPI document. @fastify/swagger builds it from the routes' schemas; this file adapts it for readers and
// generators.
import type { JSONObject } from './json-object.js'

export const API_DESCRIPTION = `Subscriptions, one-time payments and the chain events they were read from.

**Anyone can write any memo.** A payment that carries your tracking ID proves nothing by itself: expect it
(\`POST /v1/gateway/{gateway}/expectations\`), or check recipient, token mint and amount before you ship.

Integers are exact JSON literals up to 2⁶⁴−1: read them with a parser that does not round. Times are UTC.
Every answer that is no success has one shape, \`ErrorAnswer\`. Lists are newest first; follow the \`link\` header
(\`rel="next"\`) or pass \`x-next-cursor\` as \`cursor\` to go on. Limits are told in the \`ratelimit-*\` headers.

Answers that were read from the database tell in \`x-position\` up to which place in the stream of events they know
everything. Send the highest that you have seen as \`x-min-position\`, and no answer knows less.`

/** This service's own keywords: they describe how an answer is written, not its content. */
const OWN_KEYWORDS = new Set(['rawJson', 'clamped'])

/** A client need not send a parameter with a default, although a handler always finds a value. */
const isDefaulted = (value: JSONObject): boolean =>
  value.in === 'query' && (value.schema as JSONObject | undefined)?.default !== undefined

/** A body that may be null can be left out. */
const isNullableBody = ({ required, content }: JSONObject): boolean => {
  const { schema } = ((content as JSONObject | undefined)?.['application/json'] ?? {}) as JSONObject
  const alternatives = (schema as { anyOf?: JSONObject[] } | undefined)?.anyOf ?? []
  return required === true && alternatives.some(({ type }) => type === 'null')
}

/**
 * Moves every schema with a title to `components.schemas`, replaces it by a reference, and removes this service's own
 * keywords. Refuses two different schemas with one title, because one of the two would be lost.
 */
export function withComponents(document: JSONObject): JSONObject {
  const schemas: JSONObject = {}
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit)
    if (typeof value !== 'object' || value === null) return value
    const { title, ...rest } = value as JSONObject & { title?: unknown }
    const isSchema = typeof title === 'string' && ('type' in rest || 'anyOf' in rest)
    const entries = Object.entries(isSchema ? rest : (value as JSONObject))
    const visited = Object.fromEntries(
      entries.filter(([key]) => !OWN_KEYWORDS.has(key)).map(([key, item]) => [key, visit(item)]),
    )
    if (!isSchema)
      return isDefaulted(visited) || isNullableBody(visited) ? { ...visited, required: false } : visited
    // Each reference keeps its own description: one shape can have different meanings.
    const { description: _description, ...shape } = visited
    const known = schemas[title]
    const { description: _known, ...knownShape } = (known ?? visited) as JSONObject
    if (JSON.stringify(knownShape) !== JSON.stringify(shape)) {
      throw new Error(`two schemas are called ${title}`)
    }
    schemas[title] ??= visited
    return { $ref: `#/components/schemas/${title}` }
  }
  const { components, ...others } = document
  const visited = visit(others) as JSONObject
  return { ...visited, components: { ...(components ?? {}), schemas } }
}

interface DescribedOperation {
  'x-api-key-scope'?: string | undefined
  description?: string
  security?: { apiKey?: string[] }[]
}

/**
 * Moves the scope that an API key needs from `security` to the text of each operation and to `x-api-key-scope`. OpenAPI 3.1
 * allows roles of any scheme in `security`, but linters and generators know scopes of OAuth alone.
 */
export function withScopes(document: JSONObject): JSONObject {
  const paths = document.paths as Record<string, Record<string, DescribedOperation>>
  const visited = Object.entries(paths).map(([path, operations]) => [
    path,
    Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => [method, describeScope(operation)]),
    ),
  ])
  return { ...document, paths: Object.fromEntries(visited) as JSONObject }
}

function describeScope(operation: DescribedOperation): DescribedOperation {
  const roles = operation.security?.flatMap(({ apiKey }) => apiKey ?? []) ?? []
  if (roles.length === 0) return operation
  return {
    ...operation,
    description: [
      operation.description,
      `An API key needs the scope ${roles.map(role => `\`${role}\``).join(' or ')}.`,
    ]
      .filter(Boolean)
      .join(' '),
    'x-api-key-scope': roles.join(' or '),
    security: [...operation.security!.filter(({ apiKey }) => !apiKey), { apiKey: [] }],
  }
}
