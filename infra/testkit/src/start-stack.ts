import { spawn } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { discardDataDir, FOLLOW_PARENT, readStackFile, type StackFile } from '@payment-tracking/stack'
import type { TestContext } from './test-context.js'
import { TEMPORARY_PREFIX } from './use-servers.js'
import { waitFor } from './wait-for.js'

export interface StartStackOptions {
  /** Default: a temporary one, deleted at the end of the test. */
  dataDir?: string
  /** Default true: waits for readiness, and for the whole guide that the launcher prints then. */
  waitUntilReady?: boolean
}

const COMMANDS = new URL('../../../infra/stack/dist/commands.js', import.meta.url).href
const LAUNCH = `
  const { tools } = await import(process.argv[1])
  process.exit(await tools.main(process.env))
`

/**
 * Runs the launcher of \`npm start\` as its own process on a free port, and stops it when the test ends.
 * @param env settings over an otherwise empty environment
 */
export async function startStack(
  t: TestContext,
  env: Record<string, string | undefined> = {},
  { dataDir: given, waitUntilReady = true }: StartStackOptions = {},
) {
  const dataDir = given ?? (await mkdtemp(join(tmpdir(), TEMPORARY_PREFIX)))
  const child = spawn(
    process.execPath,
    [...FOLLOW_PARENT, '--input-type=module', '--eval', LAUNCH, COMMANDS],
    {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: '0', DATA_DIR: dataDir, ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    },
  )
  let output = ''
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
  }
  let ended = false
  const exited = new Promise<number | null>(resolve => {
    child.once('exit', code => {
      ended = true
      resolve(code)
    })
  })
  const stop = (signal: NodeJS.Signals = 'SIGINT') => {
    if (!ended) child.kill(signal)
    return exited
  }
  t.teardown(async () => {
    const force = setTimeout(() => child.kill('SIGKILL'), 30_000)
    await stop()
    clearTimeout(force)
    if (!given) await discardDataDir(dataDir)
  })
  const stack = {
    dataDir,
    pid: child.pid!,
    /** The output so far. */
    output: () => output,
    /** The running stack, as the commands find it. @throws when no stack runs */
    describe(): StackFile {
      const file = readStackFile(dataDir)
      if (!file) throw new Error(`nothing runs in ${dataDir}:\n${output}`)
      return file
    },
    /** Sends the signal to the launcher alone, as a terminal does, and waits. @returns the exit code */
    stop,
    exited,
  }
  if (waitUntilReady) {
    await waitFor(() => ended || /^ready http[^]*^Ctrl-C stops everything/m.test(output), {
      what: 'a ready stack',
      timeoutMs: 90_000,
    })
    if (ended) throw new Error(`the stack ended before it was ready:\n${output}`)
  }
  return stack
}

export type StartedStack = Awaited<ReturnType<typeof startStack>>
