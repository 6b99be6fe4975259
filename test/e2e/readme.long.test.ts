// The first five minutes of the README, line by line as they stand there, against a stack of its own.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { startStack, waitFor } from '@payment-tracking/testkit'
import t, { type Test } from 'tap'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const COMPILE =
  'node node_modules/typescript-7/bin/tsc --noEmit --ignoreConfig --strict --module nodenext --target es2023 --skipLibCheck'
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

/** Keeps an example in a file of its own, where it finds the packages as a user's would. */
async function keepExample(t: Test, code: string): Promise<string> {
  const cache = `${ROOT}/node_modules/.cache`
  await mkdir(cache, { recursive: true })
  const dir = await mkdtemp(`${cache}/readme-`)
  t.teardown(() => rm(dir, { recursive: true }))
  await writeFile(`${dir}/example.mts`, here(code))
  return `${dir}/example.mts`
}

/** Runs a client of the README until the test ends. */
function listen(t: Test, nodeArguments: string[]): { heard(): string } {
  const child = spawn(process.execPath, nodeArguments, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => child.kill('SIGKILL'))
  let heard = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (heard += chunk))
  return { heard: () => heard }
}

t.test('every line works as it is written', async t => {
  const [client, ...others] = blocksOf('js')
  t.same(others, [])
  const lines = blocksOf('sh').flatMap(block => block.trim().split('\n'))
  t.ok(lines.length >= 7, 'the lines were found')

  const [typed, ...otherTyped] = blocksOf('ts')
  t.same(otherTyped, [])
  const listener = listen(t, ['--input-type=module', '--eval', here(client!)])
  const typedClient = await keepExample(t, typed!)
  t.equal((await runLine(`${COMPILE} ${typedClient}`)).output, '', 'the types of the typed client hold')
  const typedListener = listen(t, ['--import', 'tsx', typedClient])

  for (const line of lines) {
    const { code, output } = await runLine(line)
    t.equal(code, 0, code === 0 ? line : `${line}: ${output}`)
    if (line.includes('npm run sample')) {
      await waitFor(async () => {
        const response = await fetch(`${baseUrl}/v1/onetime/ada-monthly`)
        return response.ok
      })
    }
    if (line.includes('npm run demo')) {
      t.match(output, `see it live     ${baseUrl}/console/payments`)
      t.match(output, /\d\.\d\d USDC +coffee-42/)
      t.notMatch(output, '\u001b', 'no colours where there is no terminal')
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
  await waitFor(() => /^#3 \d+\n {2}of \w+\n {2}to \w+$/m.test(listener.heard()), {
    what: 'the payments at the README’s socket client',
  })
  await waitFor(() => /^\d+ events$/m.test(typedListener.heard()), { what: 'the count of the typed client' })
  await waitFor(() => /^#3 \d+ of \w+$/m.test(typedListener.heard()), {
    what: 'the payments at the README’s typed client',
  })
})
