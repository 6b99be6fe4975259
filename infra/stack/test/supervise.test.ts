import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { superviseService } from '@payment-tracking/stack'
import { waitFor, type TestContext } from '@payment-tracking/testkit'
import t from 'tap'

/** A made-up service: a script that node runs. */
async function supervise(t: TestContext, script: string) {
  const dataDir = await mkdtemp(join(tmpdir(), 'supervise-'))
  await mkdir(join(dataDir, 'logs'))
  const main = join(dataDir, 'main.mjs')
  await writeFile(main, script)
  const lines: string[] = []
  const service = superviseService({
    spec: { name: 'sample', main, port: { variable: 'PORT' }, env: { WHO: 'sample' } },
    env: { PATH: process.env.PATH },
    dataDir,
    log: line => lines.push(line),
    onChange: () => {},
  })
  t.teardown(async () => {
    await service.stop('SIGKILL')
    await rm(dataDir, { recursive: true })
  })
  return { service, lines }
}

const READY = `
  import { createServer } from 'node:http'
  createServer((_, response) => response.end()).listen(process.env.MANAGEMENT_PORT, '127.0.0.1')`

t.test('a service that keeps ending is given up, with the end of its log', async t => {
  const { service, lines } = await supervise(
    t,
    `console.log('the reason, for ' + process.env.WHO); process.exit(7)`,
  )
  await t.rejects(service.failed, {
    message: /sample ended \(exit code 7\) before it was ready, 5 times in a row[^]*the reason, for sample/,
  })
  t.equal(lines.length, 4, 'each start before that was reported')
})

t.test('its port is known while it is ready, and only then', async t => {
  const { service } = await supervise(t, `${READY}\nsetTimeout(() => process.exit(1), 1500)`)
  t.equal(service.port, undefined)
  await waitFor(() => service.port)
  await waitFor(() => service.port === undefined, { what: 'its end' })
  await waitFor(() => service.ready, { what: 'its second start' })
})

t.test('stopping waits for it, and starts nothing again', async t => {
  const { service, lines } = await supervise(
    t,
    `${READY}\nprocess.on('SIGTERM', () => setTimeout(() => process.exit(0), 300))`,
  )
  await waitFor(() => service.ready)
  await Promise.all([service.stop('SIGTERM'), service.stop('SIGTERM')])
  t.equal(service.identity, undefined)
  t.same(lines, [])
})
