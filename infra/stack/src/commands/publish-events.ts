import { open } from 'node:fs/promises'
import { DEFAULT_PROGRAM_ID, DEFAULT_SUBJECT_PREFIX } from '@payment-tracking/contracts'
import { readArguments, refuseArguments } from '@payment-tracking/runtime'
import { findStack } from './find-stack.js'
import { openPublisher } from './open-publisher.js'
import { RefusalCount } from './refusal-count.js'

const USAGE = 'usage: npm run operate -- publish-events FILE   (one message a line; - reads standard input)'

/**
 * `npm run operate -- publish-events FILE`: each line of the file becomes a message of the stream, unchanged, even if the line
 * is no JSON. A line `{"subject": …, "message": …}` is published to that subject. The command reports each line that
 * cannot be published with its number, and publishes all other lines. `-` reads standard input.
 * @returns the exit code
 */
export async function publishEvents(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const [file] = readArguments({ usage: USAGE, options: {}, positionals: 1 }, args).positionals
  if (!file) return refuseArguments(USAGE, 'a file is missing')
  const natsUrl = env.NATS_URL?.trim() || findStack(env).natsUrl
  const input = file === '-' ? process.stdin : await openFile(file)
  const publisher = await openPublisher({ ...env, NATS_URL: natsUrl })
  const refusals = new RefusalCount(
    env.PROGRAM_ID?.trim() || DEFAULT_PROGRAM_ID,
    env.SUBJECT_PREFIX?.trim() || DEFAULT_SUBJECT_PREFIX,
  )
  try {
    const published = await publisher.publishAll(refusals.watch(splitLines(input)))
    console.log(`published ${published} ${published === 1 ? 'message' : 'messages'}${refusals.describe()}`)
    for (const problem of refusals.unpublished) console.error(`not published: ${problem}`)
    return refusals.unpublished.length === 0 ? 0 : 1
  } finally {
    await publisher.close()
  }
}

/** @throws Error that says why the file cannot be read */
async function openFile(file: string): Promise<AsyncIterable<Buffer>> {
  try {
    const handle = await open(file)
    if ((await handle.stat()).isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' })
    return handle.createReadStream()
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const reasons: Record<string, string> = { ENOENT: 'there is no such file', EISDIR: 'it is a folder' }
    throw new Error(`cannot read ${file}: ${reasons[code ?? ''] ?? code}`, { cause })
  }
}

const LINE_END = 0x0a

/**
 * Splits the input into lines, as unchanged bytes: invalid UTF-8 is kept, and only a line feed ends a line (readline
 * would also split at U+2028, which JSON strings may hold).
 */
async function* splitLines(input: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  let rest = Buffer.alloc(0)
  for await (const chunk of input) {
    let bytes = Buffer.concat([rest, chunk])
    for (let end = bytes.indexOf(LINE_END); end !== -1; end = bytes.indexOf(LINE_END)) {
      yield bytes.subarray(0, end)
      bytes = bytes.subarray(end + 1)
    }
    rest = bytes
  }
  if (rest.length > 0) yield rest
}
