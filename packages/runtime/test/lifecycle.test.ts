import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const SERVICE = fileURLToPath(new URL('service-under-test.mjs', import.meta.url))

interface Line {
  msg: string
  part?: string
  managementPort?: number
}

function start(t: { teardown(close: () => unknown): unknown }, mode: string) {
  const child: ChildProcess = spawn(process.execPath, [SERVICE, mode], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  const lines: Line[] = []
  const waiters: (() => void)[] = []
  let rest = ''
  child.stdout!.setEncoding('utf8').on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\n')
    rest = parts.pop()!
    for (const part of parts) lines.push(JSON.parse(part) as Line)
    for (const wake of waiters.splice(0)) wake()
  })
  const said = async (msg: string): Promise<Line> => {
    for (;;) {
      const line = lines.find(one => one.msg === msg)
      if (line) return line
      await new Promise<void>(resolve => waiters.push(resolve))
    }
  }
  const exit = once(child, 'close') as Promise<[number | null]>
  return {
    child,
    lines,
    said,
    exit,
    messages: () => lines.map(line => [line.msg, line.part].filter(Boolean).join(' ')),
  }
}

t.test('a signal stops intake first, finishes what is in work, releases in reverse, exits 0', async t => {
  const service = start(t, 'well')
  await service.said('service.ready')
  service.child.kill('SIGTERM')
  t.equal((await service.exit)[0], 0)
  t.strictSame(service.messages(), [
    'intake.started',
    'service.ready',
    'service.stopping',
    'intake.stopping',
    'intake.done',
    'part.closed second',
    'part.closed first',
    'service.stopped',
  ])
})

t.test('a start that fails releases what was opened and exits 1', async t => {
  const service = start(t, 'fail-start')
  t.equal((await service.exit)[0], 1)
  t.match(service.messages().join('\n'), /service.start-failed[^]*part.closed second[^]*part.closed first/)
})

for (const mode of ['crash', 'fail']) {
  t.test(`a service that must ${mode} stops in order and exits 1`, async t => {
    const service = start(t, mode)
    t.equal((await service.exit)[0], 1)
    t.match(service.messages().join('\n'), /intake.done[^]*part.closed second[^]*part.closed first/)
  })
}

t.test('work that does not end is cut off at the deadline with exit code 1', async t => {
  const service = start(t, 'hang')
  await service.said('service.ready')
  service.child.kill('SIGTERM')
  t.equal((await service.exit)[0], 1)
  t.match(service.messages().at(-1), 'service.stop-deadline-passed')
})

t.test('a second signal ends it at once', async t => {
  const service = start(t, 'hang')
  await service.said('service.ready')
  service.child.kill('SIGTERM')
  await service.said('intake.stopping')
  service.child.kill('SIGTERM')
  t.equal((await service.exit)[0], 1)
  t.notMatch(service.messages().join('\n'), /stop-deadline-passed/)
})

t.test('the management port tells health, readiness with a line a dependency, and metrics', async t => {
  const ask = async (mode: string) => {
    const service = start(t, mode)
    const { managementPort } = await service.said('service.ready')
    const get = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${managementPort}${path}`)
      return { status: response.status, body: await response.text() }
    }
    const answers = {
      health: await get('/healthz'),
      ready: await get('/readyz'),
      metrics: await get('/metrics'),
    }
    service.child.kill('SIGTERM')
    await service.exit
    return answers
  }
  const well = await ask('well')
  t.equal(well.health.status, 200)
  t.strictSame(well.ready, { status: 200, body: '{"ready":true,"dependencies":{"dependency":"ok"}}' })
  t.match(well.metrics.body, /nodejs_eventloop_lag_seconds/)
  const away = await ask('away')
  t.equal(away.health.status, 200, 'the process lives')
  t.strictSame(away.ready, {
    status: 503,
    body: '{"ready":false,"dependencies":{"dependency":"it is away"}}',
  })
})
