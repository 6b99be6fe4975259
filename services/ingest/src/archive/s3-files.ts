import { setTimeout as sleep } from 'node:timers/promises'
import { S3mini, S3ServiceError } from 's3mini'
import { ArchiveUnusableError, type ArchiveFiles } from './archive-files.js'

const PROBE = '.probe'
/** Between the attempts at a store that is away. */
const PAUSES_MS = [200, 1_000]

const CURES: Readonly<Record<string, string>> = {
  InvalidAccessKeyId: 'the store does not know AWS_ACCESS_KEY_ID: correct it',
  SignatureDoesNotMatch: 'AWS_SECRET_ACCESS_KEY is not that of AWS_ACCESS_KEY_ID: correct one of them',
  NoSuchBucket: 'there is no such bucket: make it',
  AuthorizationHeaderMalformed: 'set AWS_REGION to the region of the bucket',
  PermanentRedirect: 'set AWS_REGION to the region of the bucket',
}

const RIGHTS = 'give the key of AWS_ACCESS_KEY_ID the rights to put and to get objects there'
/** Network errors of an address that was right a moment ago. */
const PASSING = new Set(['ECONNRESET', 'ETIMEDOUT', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_SOCKET'])

/** How the AWS_ variables lead to the store. */
function readAccess(env: NodeJS.ProcessEnv) {
  const read = (name: string) => env[name]?.trim() || undefined
  const needed = (name: string) => {
    const value = read(name)
    if (value === undefined)
      throw new ArchiveUnusableError(
        `EVENTS_ARCHIVE names an S3 store and ${name} is not set: set it to the store's key`,
      )
    return value
  }
  if (read('AWS_SESSION_TOKEN') !== undefined)
    throw new ArchiveUnusableError(
      'AWS_SESSION_TOKEN is set: EVENTS_ARCHIVE needs a key that does not expire, without a token',
    )
  const region = read('AWS_REGION') ?? 'us-east-1'
  return {
    accessKeyId: needed('AWS_ACCESS_KEY_ID'),
    secretAccessKey: needed('AWS_SECRET_ACCESS_KEY'),
    region,
    address: read('AWS_ENDPOINT_URL') ?? `https://s3.${region}.amazonaws.com`,
  }
}

/**
 * Objects of an S3-compatible store. A part is small enough for one request (`BYTES_A_PART`), and the store keeps a whole body or
 * none. A process that dies in an upload of several requests would leave the first of them in the store. Needs the rights to put and to get.
 */
export class S3Files implements ArchiveFiles {
  readonly #bucket: S3mini
  readonly #prefix: string

  /** @param location `s3://bucket/prefix` @throws ArchiveUnusableError for variables that cannot work */
  constructor(
    private readonly location: string,
    env: NodeJS.ProcessEnv,
    { requestWithinMs = 60_000 } = {},
  ) {
    const [bucket, ...folders] = location.slice('s3://'.length).split('/').filter(Boolean)
    this.#prefix = folders.map(folder => `${folder}/`).join('')
    const { address, ...access } = readAccess(env)
    if (!/^https?:\/\//.test(address) || !URL.canParse(address))
      throw new ArchiveUnusableError(`AWS_ENDPOINT_URL is no address: it looks like https://s3.example.com`)
    const endpoint = `${address.replace(/\/+$/, '')}/${bucket}`
    this.#bucket = new S3mini({ ...access, endpoint, requestAbortTimeout: requestWithinMs })
  }

  async check(): Promise<boolean> {
    const probe = Buffer.from('probe')
    try {
      await this.#put(PROBE, probe)
      await this.#get(PROBE)
      return true
    } catch (error) {
      // Payments do not wait for a store that answers nothing useful: each round asks it again.
      if (isAway(error)) return false
      throw this.#explain(error)
    }
  }

  async write(name: string, bytes: Uint8Array): Promise<void> {
    await this.#ask(() => this.#put(name, bytes))
  }

  async read(name: string): Promise<Buffer> {
    const bytes = await this.#ask(() => this.#get(name), name)
    if (bytes === null)
      throw new ArchiveUnusableError(
        `${name} is not below EVENTS_ARCHIVE (${this.location}): bring it back from a copy`,
      )
    return bytes
  }

  async #put(name: string, bytes: Uint8Array): Promise<void> {
    await this.#bucket.putObject(this.#prefix + name, bytes)
  }

  async #get(name: string): Promise<Buffer | null> {
    const bytes = await this.#bucket.getObjectArrayBuffer(this.#prefix + name)
    return bytes === null ? null : Buffer.from(bytes)
  }

  /** Putting and getting again change nothing. @param read the file that is read, where it must be there */
  async #ask<T>(request: () => Promise<T>, read?: string): Promise<T> {
    for (const pause of PAUSES_MS) {
      try {
        return await request()
      } catch (error) {
        if (!isAway(error)) throw this.#explain(error, read)
        await sleep(pause)
      }
    }
    return await request().catch((error: unknown) => {
      throw this.#explain(error, read)
    })
  }

  #explain(cause: unknown, read?: string): ArchiveUnusableError {
    const { origin } = this.#bucket.endpoint
    const code = codeOf(cause)
    // AWS answers 403 instead of 404 for a missing object when the key has no right to list the bucket.
    const orLost =
      read === undefined ? '' : `; if it has them, ${read} is not there: bring it back from a copy`
    const cure =
      cause instanceof S3ServiceError
        ? (CURES[code ?? ''] ??
          (cause.status === 403 ? RIGHTS + orLost : `see what ${origin} says of status ${cause.status}`))
        : `${origin} does not answer: correct AWS_ENDPOINT_URL, or the way there`
    return new ArchiveUnusableError(
      `EVENTS_ARCHIVE names ${this.location}, which cannot be used (${code ?? (cause as Error).message}): ${cure}`,
      { cause },
    )
  }
}

const codeOf = (error: unknown): string | undefined => {
  const { code, cause } = error as { code?: unknown; cause?: { code?: string } }
  return typeof code === 'string' ? code : cause?.code
}

/** Whether the store may answer the same request later. */
const isAway = (error: unknown): boolean =>
  error instanceof S3ServiceError
    ? error.status >= 500 || error.status === 429
    : (error as Error).name === 'TimeoutError' || PASSING.has(codeOf(error) ?? '')
