// The benches still work and yield figures. Only a quiet machine can tell what the figures are.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { FOLLOW_PARENT } from '@payment-tracking/stack'
import { useServers } from '@payment-tracking/testkit'
import t from 'tap'
import { ROOT } from '../repository.js'

t.test('a quick run of each bench yields rows of plausible figures', async t => {
  const { databaseUrl, redisUrl, natsUrl } = await useServers(t)
  const { PATH, HOME } = process.env
  const child = spawn(
    process.execPath,
    [...FOLLOW_PARENT, '--import', 'tsx', 'test/bench/main.ts', '--quick'],
    {
      cwd: ROOT,
      env: { PATH, HOME, DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, NATS_URL: natsUrl },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    },
  )
  t.teardown(() => child.kill())
  let output = ''
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
  const [code] = (await once(child, 'close')) as [number | null]
  t.equal(code, 0, code === 0 ? 'it ends well' : output)
  const rows = [...output.matchAll(/^\| (bytes|end-to-end) \| (.+?) \| (.+?) \|/gm)]
  t.same([...new Set(rows.map(([, bench]) => bench))], ['bytes', 'end-to-end'])
  for (const [row, , , figure] of rows) t.ok(Number(figure) > 0, row)
})
