// The first five minutes of the README, as they stand there.
// In one process with others: a stack and a browser.
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { findFreePort } from '@payment-tracking/stack'
import { waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { codeBlocks, ROOT, runScript } from './read-guide.js'
import { shareStack } from './share-stack.js'

const { baseUrl, dataDir } = await shareStack(t)
const port = String(await findFreePort())
const here = (text: string) => text.replaceAll('http://127.0.0.1:3002', baseUrl).replaceAll('8080', port)
const env = { DATA_DIR: dataDir }

const readme = readFileSync(`${ROOT}/README.md`, 'utf8')
const [start, story] = readme.split('## The first five minutes')
const [typed, ...otherTyped] = codeBlocks('README.md', 'ts')
const scripts = codeBlocks('README.md', 'sh').filter(block => story!.includes(block))

t.test('what is needed stands before the command, and the command before the story', async t => {
  t.match(start, /need Node\.js[^]*^npm start$/m)
  t.equal(scripts.length, 3)
  t.same(otherTyped, [])
})

t.test('a coffee is sold as the story says', async t => {
  const { exitCode, output } = runScript(t, here(scripts.join('')), env)
  t.equal(await exitCode, 0, output())
  const answered = /"state":"open"[^]*\{"success":true,"data":\{[^\n]*"trackingId":"coffee-42"/
  await waitFor(() => answered.test(output()), { what: 'what was expected, and what was looked up' })
  await waitFor(() => output().includes('payment 1 of coffee-42: 4500000'), { what: 'the payment’s webhook' })
  await waitFor(() => output().includes('message expectation.paid'), { what: 'what was expected is paid' })
})

t.test('the typed client prints the payment, and the next', async t => {
  // Where it finds the packages; client-package.long.test.ts installs the client in an empty project.
  mkdirSync(`${ROOT}/node_modules/.cache`, { recursive: true })
  const folder = mkdtempSync(`${ROOT}/node_modules/.cache/readme-`)
  t.teardown(() => rmSync(folder, { recursive: true }))
  const file = `${folder}/try.mts`
  writeFileSync(file, here(typed!))
  const options = '--noEmit --ignoreConfig --strict --module nodenext --target es2023 --skipLibCheck'.split(
    ' ',
  )
  execFileSync(process.execPath, ['node_modules/typescript-7/bin/tsc', ...options, file], { cwd: ROOT })
  const listener = spawn(process.execPath, ['--import', 'tsx', file], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => listener.kill('SIGKILL'))
  let heard = ''
  listener.stdout.setEncoding('utf8').on('data', (chunk: string) => (heard += chunk))
  await waitFor(() => /^\d+ events$/m.test(heard), { what: 'the count' })
  await waitFor(() => /^#1 4500000 of \w+$/m.test(heard), { what: 'the payment before it listened' })
  const pays = codeBlocks('README.md', 'sh')
    .join('')
    .match(/^npm run pay .*$/m)![0]
    .replace(/ --recipient.*/, '')
  const again = runScript(t, pays, env)
  t.equal(await again.exitCode, 0, again.output())
  await waitFor(() => /^#2 4500000 of \w+$/m.test(heard), { what: 'the payment while it listens' })
})

t.test('a demo of one customer pays as often as it was asked', async t => {
  const { exitCode, output } = runScript(t, 'npm run demo -- --tracking-id coffee-43 --count 3', env)
  t.equal(await exitCode, 0, output())
  t.match(output(), `see it live     ${baseUrl}/console/payments`)
  t.match(output(), /\d\.\d\d USDC +coffee-43/)
  t.notMatch(output(), '\u001b', 'no colours where there is no terminal')
  const payments = (await (await fetch(`${baseUrl}/v1/onetime/coffee-43`)).json()) as { data: unknown[] }
  t.equal(payments.data.length, 3)
})

t.test('the sample is ninety days of the shop that one is signed in to', async t => {
  const { exitCode, output } = runScript(t, 'npm run sample && npm run --silent gateway -- address', env)
  t.equal(await exitCode, 0, output())
  const gateway = output().trim().split('\n').at(-1)!
  t.match(output(), `gateway ${gateway}`)
  await waitFor(async () => (await fetch(`${baseUrl}/v1/onetime/ada-monthly`)).ok, { what: 'its payments' })
})
