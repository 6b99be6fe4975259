import { spawn } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { discardDataDir, FOLLOW_PARENT } from '@payment-tracking/stack'
import { measureOf, type Bench, type Row } from './bench.js'

const START = fileURLToPath(new URL('../../scripts/start.mjs', import.meta.url))
const LIMIT_SECONDS = 8

/** Runs `npm start` until it is ready, then stops it as Ctrl-C does. @returns how many seconds until it was ready */
async function startOnce(dataDir: string): Promise<number> {
  const startedAt = Date.now()
  const child = spawn(process.execPath, [...FOLLOW_PARENT, START], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: '0', DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  let seconds: number | undefined
  let output = ''
  child.stdout!.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk
    if (seconds !== undefined || !/^ready http/m.test(output)) return
    seconds = (Date.now() - startedAt) / 1_000
    child.kill('SIGINT')
  })
  await new Promise(resolve => child.once('close', resolve))
  if (seconds === undefined) throw new Error(`npm start ended before it was ready:\n${output}`)
  return seconds
}

export const bench: Bench = {
  name: 'start',
  about: 'npm start with everything built, from its beginning to the line that says it is ready',
  async run(context) {
    const dataDir = await mkdtemp(join(tmpdir(), 'payment-tracking-bench-'))
    context.teardown(() => discardDataDir(dataDir))
    const first = await startOnce(dataDir)
    const again: number[] = []
    for (let round = 0; round < (context.quick ? 1 : 5); round++) again.push(await startOnce(dataDir))
    const row = (subject: string, figures: number[]): Row => ({
      subject,
      unit: 's',
      largerIsBetter: false,
      measured: measureOf(figures),
    })
    return [
      row('the first start in an empty data directory', [first]),
      {
        ...row('each later start', again),
        limit: { name: 'the bar', measured: measureOf([LIMIT_SECONDS]) },
      },
    ]
  },
}
