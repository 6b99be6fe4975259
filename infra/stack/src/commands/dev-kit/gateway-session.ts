import { sign } from 'node:crypto'
import bs58 from 'bs58'
import type { KeyPair } from '../../chain/index.js'

export interface GatewaySession {
  gateway: string
  token: string
  /** Asks the REST interface as the gateway. @throws Error with the reason of the service */
  ask<T>(method: 'GET' | 'POST' | 'PUT', path: string, body?: object): Promise<T>
}

/**
 * Signs in as a gateway.
 * @param key the key pair of the gateway's authority or signer
 * @throws Error with the reason of the service
 */
export async function openGatewaySession(
  baseUrl: string,
  gateway: string,
  key: KeyPair,
): Promise<GatewaySession> {
  const auth = `${baseUrl}/v1/gateway/${gateway}/auth`
  const { nonce } = await send<{ nonce: string }>('POST', `${auth}/challenge`, {}, {})
  const signature = bs58.encode(sign(null, Buffer.from(nonce, 'utf8'), key.privateKey))
  const body = { signer: key.publicKey, signature, nonce }
  const { token } = await send<{ token: string }>('POST', `${auth}/verify`, {}, body)
  const headers = { authorization: `Bearer ${token}` }
  return {
    gateway,
    token,
    ask: (method, path, body) => send(method, `${baseUrl}${path}`, headers, body),
  }
}

async function send<T>(
  method: string,
  url: string,
  headers: Record<string, string>,
  body?: object,
): Promise<T> {
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  const answer = (await response.json()) as T & { error?: string }
  if (!response.ok) throw new Error(`the service refused ${new URL(url).pathname}: ${answer.error}`)
  return answer
}
