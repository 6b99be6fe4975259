// Who may call which route, as the API's description states it.
import { readFileSync } from 'node:fs'

const DOCUMENT = new URL('../../packages/client/openapi.json', import.meta.url)

export type Scope = 'webhooks:read' | 'webhooks:write' | 'merchant:read' | 'merchant:write' | 'expectations'

/**
 * The credential that a route asks for:
 *
 * - `open`: none. One that comes along changes nothing.
 * - `sign-in`: any that counts; the answer is a session, or a link, of its gateway.
 * - `more`: none. A gateway that sends its own is told more.
 * - `wallet`: the token of a wallet's sign-in.
 * - `proof`: an earlier proof of payment.
 * - scopes: the token of a wallet's sign-in, or an API key with one of them.
 */
export type Access = 'open' | 'sign-in' | 'more' | 'wallet' | 'proof' | Scope | typeof EITHER

const EITHER = 'expectations or merchant:read'

/** The scopes of which a key needs one. */
export const scopesOf = (access: Access): readonly string[] => access.split(' or ')

/**
 * The answer to a gateway that asks for what belongs to another:
 *
 * - 403 when the request names the other gateway.
 * - 404 when the request names a thing by its id. The answer is the same for an id that nobody has.
 * - `own` when the request names neither: the answer holds what belongs to the caller.
 */
export type Foreign = 403 | 404 | 'own'

export interface Operation {
  id: string
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  access: Access
  /** The scopes of which a key needs one, as words; empty for routes without keys. */
  scopes: string
  /** The status of success. */
  success: number
  foreign: Foreign
}

interface DescribedOperation {
  operationId: string
  security?: Record<string, string[]>[]
  'x-api-key-scope'?: string
  responses: Record<string, unknown>
  requestBody?: { content: Record<string, { schema: { properties?: object } }> }
}

function accessOf(operation: DescribedOperation): Access {
  const { operationId, security = [], 'x-api-key-scope': scope } = operation
  if (security.length === 0) return 'open'
  if (security.some(each => 'proofOfPayment' in each)) return 'proof'
  if (security.some(each => Object.keys(each).length === 0))
    return security.some(each => 'session' in each) ? 'more' : 'sign-in'
  if (!security.some(each => 'apiKey' in each)) return 'wallet'
  if (scope === undefined) throw new Error(`${operationId} must name one scope`)
  return scope as Scope | typeof EITHER
}

function foreignOf(path: string, { requestBody }: DescribedOperation): Foreign {
  const body = requestBody?.content['application/json']?.schema.properties ?? {}
  if (/\{gateway(Pubkey)?\}/.test(path) || 'gateway_pubkey' in body) return 403
  return path.includes('{id}') ? 404 : 'own'
}

/** @returns every operation that packages/client/openapi.json describes */
export function readOperations(): Operation[] {
  const { paths } = JSON.parse(readFileSync(DOCUMENT, 'utf8')) as {
    paths: Record<string, Record<string, DescribedOperation>>
  }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      id: described.operationId,
      method: method.toUpperCase() as Operation['method'],
      path,
      access: accessOf(described),
      scopes: described['x-api-key-scope'] ?? '',
      // What is created is 201 at first, and 200 where the same is there.
      success: Number(
        '201' in described.responses
          ? '201'
          : Object.keys(described.responses).find(status => /^[12]/.test(status)),
      ),
      foreign: foreignOf(path, described),
    })),
  )
}
