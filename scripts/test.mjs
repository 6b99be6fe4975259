// `npm test`: set-up, lint, format, types, then every test against one private set of servers. Ends with the
// line `N passed, N failed`. Arguments name test files: `npm test -- packages/store/test/migrate.test.ts`.
import { spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT, run, setUp } from './set-up.mjs'

const CHECKS = {
  lint: ['node_modules/eslint/bin/eslint.js', '.'],
  format: ['node_modules/prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.'],
  types: ['node_modules/typescript-7/bin/tsc', '--noEmit', '-p', 'tsconfig.check.json'],
}

const seconds = startedAt => `${((Date.now() - startedAt) / 1000).toFixed(1)} s`

/** In the time that tests leave idle, and no other. @returns whether it passed */
async function check(name, args) {
  const startedAt = Date.now()
  try {
    await run('nice', ['-n', '19', process.execPath, ...args], { signal: stopping.signal })
    console.log(`ok ${name} (${seconds(startedAt)})`)
    return true
  } catch (error) {
    console.error(`not ok ${name}\n${error.message}`)
    return false
  }
}

/**
 * Shows all that a failing file said; the lines of those that pass are on their way already.
 * @returns the counts of tap's own summary
 */
async function readTap(stream) {
  let block = []
  let inDiagnosis = false
  let counts = { total: 0, pass: 0, fail: 0 }
  let rest = ''
  const onLine = line => {
    const summary = /^# \{ (.*) \}$/.exec(line)
    if (summary) {
      counts = Object.fromEntries(summary[1].split(', ').map(pair => pair.split(': ')))
      counts = { total: Number(counts.total), pass: Number(counts.pass ?? 0), fail: Number(counts.fail ?? 0) }
    }
    const result = /^(not )?ok \d+ - (.*)$/.exec(line)
    if (result) {
      if (result[1]) console.log(block.join('\n'))
      if (result[1]) console.log(`not ok ${result[2]}`)
      block = []
      inDiagnosis = Boolean(result[1])
    } else if (inDiagnosis && /^ {2}(?! )|^ {4}/.test(line) && block.length === 0 && !/^ {4}#/.test(line)) {
      console.log(line)
    } else {
      inDiagnosis = false
      block.push(line)
    }
  }
  for await (const chunk of stream) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()
    lines.forEach(onLine)
  }
  return counts
}

let tap
const stopping = new AbortController()
async function runTests(args, env) {
  tap = spawn(process.execPath, ['scripts/run-test-files.mjs', ...args], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true, // its own group, so that one signal ends tap and all its test processes
  })
  const ended = new Promise(resolve => tap.once('exit', code => resolve(code ?? 1)))
  const counts = await readTap(tap.stdout.setEncoding('utf8'))
  return { ...counts, code: await ended }
}

const onSignal = () => {
  stopping.abort()
  if (tap?.pid) {
    try {
      process.kill(-tap.pid, 'SIGTERM')
    } catch {
      // It has ended already.
    }
  }
}
process.on('SIGINT', onSignal)
process.on('SIGTERM', onSignal)

async function main(args) {
  const totals = { passed: 0, failed: 0 }
  await setUp(line => console.log(line))
  const checking =
    args.length > 0 ? [] : Object.entries(CHECKS).map(([name, command]) => check(name, command))
  const { discardDataDir, openServers } = await import('../infra/stack/dist/index.js')
  const { ensureTemplate, removeAbandoned } = await import('../packages/testkit/dist/index.js')
  if (stopping.signal.aborted) return { passed: 0, failed: 1 }
  await removeAbandoned()
  const dataDir = mkdtempSync(join(tmpdir(), 'payment-tracking-test-'))
  const servers = await openServers({ dataDir, durable: false, log: line => console.log(line) })
  try {
    await ensureTemplate(servers.databaseUrl)
    const { pass, fail, code } = await runTests(args, {
      TEST_DATABASE_URL: servers.databaseUrl,
      TEST_REDIS_URL: servers.redisUrl,
      TEST_NATS_URL: servers.natsUrl,
    })
    totals.passed += pass
    // A file that breaks before its first assertion counts in the exit code alone.
    totals.failed += fail > 0 ? fail : code === 0 ? 0 : 1
  } finally {
    await servers.close()
    await discardDataDir(dataDir)
  }
  for (const passed of await Promise.all(checking)) totals[passed ? 'passed' : 'failed'] += 1
  if (stopping.signal.aborted) totals.failed += 1
  return totals
}

try {
  const { passed, failed } = await main(process.argv.slice(2))
  console.log(`${passed} passed, ${failed} failed`)
  process.exit(failed === 0 && passed > 0 ? 0 : 1)
} catch (error) {
  console.error(error.message)
  console.log('0 passed, 1 failed')
  process.exit(1)
}
