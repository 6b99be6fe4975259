// The OpenAPI document: made of the routes' own schemas by @fastify/swagger, then put into the form that
// readers and generators like best.
import type { JSONObject } from './json-object.js'

export const API_DESCRIPTION = `Subscriptions, one-time payments and the chain events they were read from.

**Anyone can write any memo.** A payment that carries your tracking ID proves nothing by itself: check
recipient, token mint and amount before you ship.

Integers are exact JSON literals up to 2⁶⁴−1: read them with a parser that does not round. Times are UTC.
Every answer that is no success has one shape, \`ErrorAnswer\`. Lists are newest first; follow the \`link\` header
(\`rel="next"\`) or pass \`x-next-cursor\` as \`cursor\` to go on. Limits are told in the \`ratelimit-*\` headers.`

/** Keywords of ours that say how an answer is written, not what it is. */
const OWN_KEYWORDS = new Set(['rawJson'])

/** A parameter that has a default need not be sent, though a handler always finds it. */
const isDefaulted = (value: JSONObject): boolean =>
  value.in === 'query' && (value.schema as JSONObject | undefined)?.default !== undefined

/**
 * Moves every schema that has a title to `components.schemas` and refers to it, and drops our own keywords.
 * Two different schemas of one title are refused: one of them would be lost.
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
    if (!isSchema) return isDefaulted(visited) ? { ...visited, required: false } : visited
    // The description of a use stays with the use: the same shape can mean different things.
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
