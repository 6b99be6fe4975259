// A gateway's key pair in a file of the format that Solana's own tools read and write: a JSON array of 64 numbers, the
// 32 bytes of the ed25519 secret key followed by the 32 bytes of the public key.
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { ServiceError } from '@payment-tracking/runtime'
import bs58 from 'bs58'
import { calledAs } from '../called-as.js'
import { ED25519_PREFIX, type KeyPair } from '../../chain/index.js'

const KEY_BYTES = 32

/** A gateway's key file cannot be read. */
export class KeyFileError extends ServiceError {
  readonly code = 'KEY_FILE_UNUSABLE'
  readonly retry = 'never'
}

/** @returns the file named by `--key`, or else `gateway-key.json` in the data directory */
export const keyFileOf = (named: string | undefined, env: NodeJS.ProcessEnv): string =>
  resolve(named ?? join(env.DATA_DIR?.trim() || '.data', 'gateway-key.json'))

/** The key of the gateway that `npm start -- --demo` plays first. */
export const demoKeyFileOf = (env: NodeJS.ProcessEnv): string =>
  resolve(env.DATA_DIR?.trim() || '.data', 'demo-key.json')

const rawBytes = (key: KeyObject, field: 'd' | 'x'): Buffer =>
  Buffer.from(key.export({ format: 'jwk' })[field]!, 'base64url')

/**
 * Writes a new key pair, readable by its owner alone. An existing file is never overwritten: it may be the only copy.
 * @throws KeyFileError when the file exists or cannot be written
 */
export function createKeyFile(file: string): KeyPair {
  const { privateKey } = generateKeyPairSync('ed25519')
  const bytes = [...rawBytes(privateKey, 'd'), ...rawBytes(privateKey, 'x')]
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, JSON.stringify(bytes), { mode: 0o600, flag: 'wx' })
  } catch (error) {
    const why =
      (error as NodeJS.ErrnoException).code === 'EEXIST'
        ? 'it exists already: use the key in it, or name another file with --key'
        : (error as Error).message
    throw new KeyFileError(`the key file cannot be made: ${file}\n${why}`, { cause: error })
  }
  return readKeyFile(file)
}

const WHY_UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'you have no right to read it (chmod u+r)',
  EISDIR: 'it is a folder',
}

/** @throws KeyFileError when the file is missing or holds no key pair */
export function readKeyFile(file: string): KeyPair {
  let parsed: unknown
  try {
    parsed = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const why = code ? (WHY_UNREADABLE[code] ?? message) : `it is no JSON array of ${2 * KEY_BYTES} numbers`
    const cure = `${calledAs('gateway', 'new')} makes one, --key names another`
    throw new KeyFileError(`the key file cannot be read, ${why}: ${file}\n${cure}`, { cause: error })
  }
  if (!isKeyPair(parsed)) {
    throw new KeyFileError(`${file} holds no key pair: a JSON array of 64 numbers from 0 to 255 is expected`)
  }
  const der = Buffer.concat([ED25519_PREFIX, Buffer.from(parsed.slice(0, KEY_BYTES))])
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const publicKey = rawBytes(privateKey, 'x')
  if (!publicKey.equals(Buffer.from(parsed.slice(KEY_BYTES)))) {
    throw new KeyFileError(`${file} is damaged: its public key does not belong to its secret key`)
  }
  return { publicKey: bs58.encode(publicKey), privateKey }
}

const isKeyPair = (value: unknown): value is number[] =>
  Array.isArray(value) &&
  value.length === 2 * KEY_BYTES &&
  value.every(byte => Number.isInteger(byte) && byte >= 0 && byte <= 255)
