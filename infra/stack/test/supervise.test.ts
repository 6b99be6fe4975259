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

t.test('the port of a service is known only while the service is ready', async t => {
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

t.test('a service that ends because of its settings is given up at once, with what it said', async t => {
  for (const script of [
    `process.stderr.write('sample: bad configuration:\\n  - COLOUR is not set\\n'); process.exit(1)`,
    `console.log(JSON.stringify({ msg: 'service.start-failed', err: { code: 'CONFIG_INVALID', message: 'bad: COLOUR' } })); process.exit(1)`,
  ]) {
    const { service, lines } = await supervise(t, script)
    await t.rejects(service.failed, { message: /^sample cannot start: bad.*[^]*COLOUR/ })
    t.same(lines, [], 'it was started once')
  }
})

t.test('the reason why a service is not ready is a sentence', async t => {
  const answering = (body: object, status: number) =>
    `
    import { createServer } from 'node:http'
    createServer((_, response) => response.writeHead(status, {}).end(body)).listen(process.env.MANAGEMENT_PORT, '127.0.0.1')`
      .replace('status', String(status))
      .replace('end(body)', `end('${JSON.stringify(body)}')`)
  const waiting = { ready: false, dependencies: { postgres: 'no answer within 2000 ms', redis: 'ok' } }
  const { service } = await supervise(t, answering(waiting, 503))
  await waitFor(async () => (await service.whyNotReady()) === 'postgres: no answer within 2000 ms')
  const { service: ready } = await supervise(t, answering({ ready: true, dependencies: {} }, 200))
  await waitFor(() => ready.ready)
  t.equal(await ready.whyNotReady(), undefined, 'a service that is ready is not waited for')
})
