// The first five minutes of the README, line by line as they stand there, against a stack of its own.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { startStack, waitFor } from '@payment-tracking/testkit'
import t from 'tap'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const readme = readFileSync(`${ROOT}/README.md`, 'utf8')
const chapter = readme.slice(
  readme.indexOf('## The first five minutes'),
  readme.indexOf('## Where to go next'),
)
const blocksOf = (language: string) =>
  [...chapter.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'))].map(match => match[1]!)

const stack = await startStack(t)
const { baseUrl } = stack.describe()
const here = (text: string) => text.replaceAll('http://127.0.0.1:3002', baseUrl)
const env = { ...process.env, DATA_DIR: stack.dataDir }

/** Runs one line in a shell. */
function runLine(line: string): Promise<{ code: number | null; output: string }> {
  const child = spawn('sh', ['-c', here(line)], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
  let complaints = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (complaints += chunk))
  return new Promise(resolve =>
    child.once('close', code => resolve({ code, output: code === 0 ? output : output + complaints })),
  )
}

t.test('every line works as it is written', async t => {
  const [client, ...others] = blocksOf('js')
  t.same(others, [])
  const lines = blocksOf('sh').flatMap(block => block.trim().split('\n'))
  t.ok(lines.length >= 7, 'the lines were found')

  const listener = spawn(process.execPath, ['--input-type=module', '--eval', here(client!)], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => listener.kill('SIGKILL'))
  let heard = ''
  listener.stdout.setEncoding('utf8').on('data', (chunk: string) => (heard += chunk))

  for (const line of lines) {
    const { code, output } = await runLine(line)
    t.equal(code, 0, code === 0 ? line : `${line}: ${output}`)
    if (line.includes('publish-events')) {
      await waitFor(async () => {
        const response = await fetch(`${baseUrl}/v1/onetime/sub-alpha-0-1`)
        return response.ok
      })
    }
    if (line.startsWith('curl')) {
      const answer = JSON.parse(output) as { success?: boolean; data?: unknown }
      t.not(answer.success, false, output)
      t.ok(
        Array.isArray(answer) ? answer.length > 0 : Object.keys(answer).length > 0,
        `${line} answers something`,
      )
    }
  }
  await waitFor(() => /^#1 \d+ of \w+ to \w+$/m.test(heard), {
    what: 'the payments at the README’s socket client',
  })
})
