import { sign } from 'node:crypto'
import bs58 from 'bs58'
import type { KeyPair } from '../../chain/index.js'

export interface GatewaySession {
  gateway: string
  token: string
  /** Asks the REST interface as the gateway. @throws Error with the reason of the service */
  ask<T>(method: 'GET' | 'POST' | 'PUT', path: string, body?: object): Promise<T>
  /** The same for the text of an answer, with each digit. */
  read(path: string, signal?: AbortSignal): Promise<string>
}

/** The service refused a request. */
export class ServiceRefusedError extends Error {
  constructor(
    readonly status: number,
    readonly code: string | undefined,
    path: string,
    why: string | undefined,
  ) {
    super(`the service refused ${path}: ${why}`)
  }
}

/** A nonce of the service, signed by the key. */
async function signNonce(baseUrl: string, gateway: string, key: KeyPair) {
  const path = `${baseUrl}/v1/gateway/${gateway}/auth/challenge`
  const { nonce } = await send<{ nonce: string }>('POST', path, {}, {})
  const signature = bs58.encode(sign(null, Buffer.from(nonce, 'utf8'), key.privateKey))
  return { signer: key.publicKey, signature, nonce }
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
  const proof = await signNonce(baseUrl, gateway, key)
  const path = `${baseUrl}/v1/gateway/${gateway}/auth/verify`
  const { token } = await send<{ token: string }>('POST', path, {}, proof)
  const headers = { authorization: `Bearer ${token}` }
  return {
    gateway,
    token,
    ask: (method, path, body) => send(method, `${baseUrl}${path}`, headers, body),
    read: (path, signal) => sendForText('GET', `${baseUrl}${path}`, headers, undefined, signal),
  }
}

/**
 * @returns the address of a page of the console that signs a browser in as the gateway, once, within 15 minutes
 * @throws Error with the reason of the service
 */
export async function makeSignInLink(baseUrl: string, gateway: string, key: KeyPair): Promise<string> {
  const body = { gateway, ...(await signNonce(baseUrl, gateway, key)) }
  const { path } = await send<{ path: string }>('POST', `${baseUrl}/v1/session/links`, {}, body)
  return baseUrl + path
}

async function send<T>(...request: Parameters<typeof sendForText>): Promise<T> {
  return JSON.parse(await sendForText(...request)) as T
}

/** @throws ServiceRefusedError */
async function sendForText(
  method: string,
  url: string,
  headers: Record<string, string>,
  body?: object,
  signal?: AbortSignal,
): Promise<string> {
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  })
  const text = await response.text()
  if (response.ok) return text
  const { code, error } = readRefusal(text)
  throw new ServiceRefusedError(response.status, code, new URL(url).pathname, error)
}

/** A proxy in between may answer with a page. */
function readRefusal(text: string): { code?: string; error?: string } {
  try {
    return JSON.parse(text) as { code?: string; error?: string }
  } catch {
    return { error: text.slice(0, 200) }
  }
}
