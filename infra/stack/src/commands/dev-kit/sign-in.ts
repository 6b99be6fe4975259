import { sign } from 'node:crypto'
import { deriveGateway } from '@payment-tracking/domain'
import bs58 from 'bs58'
import { findStack } from '../find-stack.js'
import { keyFileOf, readKeyFile } from './key-file.js'
import { programIdOf } from './program-id.js'
import { readOptions } from './read-options.js'

const USAGE = `usage: npm run sign-in -- [--key FILE] [--gateway ADDRESS]
  Signs in as a gateway and prints a token, which is valid for 15 minutes.
  --key FILE         the key of the gateway's authority or signer (default: gateway-key.json in DATA_DIR)
  --gateway ADDRESS  the gateway (default: the gateway that the key owns)`

interface Answer {
  nonce?: string
  token?: string
  error?: string
}

/**
 * `npm run --silent sign-in`: prints nothing but the token, so that a shell can keep it in a variable.
 * @returns the exit code
 * @throws KeyFileError, NoStackError, or an Error with the reason of the service
 */
export async function signIn(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const options = readOptions(args, ['key', 'gateway'], USAGE)
  if (!options) return 0
  const { baseUrl } = findStack(env)
  const key = readKeyFile(keyFileOf(options.key, env))
  const gateway = options.gateway ?? deriveGateway(programIdOf(env), key.publicKey)
  const { nonce } = await post(`${baseUrl}/v1/gateway/${gateway}/auth/challenge`, {})
  const signature = bs58.encode(sign(null, Buffer.from(nonce!, 'utf8'), key.privateKey))
  const { token } = await post(`${baseUrl}/v1/gateway/${gateway}/auth/verify`, {
    signer: key.publicKey,
    signature,
    nonce,
  })
  console.log(token)
  return 0
}

async function post(url: string, body: object): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const answer = (await response.json()) as Answer
  if (!response.ok) throw new Error(`the service refused the sign-in: ${answer.error}`)
  return answer
}
