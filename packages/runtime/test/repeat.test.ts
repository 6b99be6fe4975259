import { spawnSync } from 'node:child_process'
import t from 'tap'
import { repeat } from '../src/index.js'

function withResolvers<T>() {
  let resolve!: (value: T) => void
  const promise = new Promise<T>(settle => (resolve = settle))
  return { promise, resolve }
}

const fail = (error: unknown): void => void t.fail(String(error))
const later = () => new Promise<void>(resolve => setImmediate(resolve))

t.test('runs follow each other, one at a time, until the stop', async t => {
  let running = 0
  let runs = 0
  const { promise: fourth, resolve } = withResolvers<void>()
  const task = repeat({
    everyMs: 1,
    firstAfterMs: 0,
    spread: 0.5,
    run: async () => {
      t.equal(++running, 1, 'one run at a time')
      await later()
      running--
      if (++runs === 4) resolve()
    },
    onError: fail,
  })
  task.start()
  await fourth
  await task.stop()
  const runsAtStop = runs
  await later()
  t.equal(runs, runsAtStop, 'no run after the stop')
})

t.test('a run that fails is reported, and the next one comes at its time', async t => {
  const errors: unknown[] = []
  const { promise: second, resolve } = withResolvers<void>()
  const task = repeat({
    everyMs: 1,
    run: async () => {
      if (errors.length > 1) resolve()
      throw new Error('away')
    },
    onError: error => errors.push(error),
  })
  task.start()
  await second
  await task.stop()
  t.match(errors, [{ message: 'away' }, { message: 'away' }])
})

t.test('a stop ends a pause, and waits for the run in hand', async t => {
  const idle = repeat({ everyMs: 3_600_000, run: async () => t.fail('no run was due'), onError: fail })
  idle.start()
  await idle.stop()

  let isDone = false
  const { promise: begun, resolve: begin } = withResolvers<AbortSignal>()
  const busy = repeat({
    everyMs: 1,
    firstAfterMs: 0,
    run: async stop => {
      begin(stop)
      await new Promise(resolve => stop.addEventListener('abort', resolve))
      await later()
      isDone = true
    },
    onError: fail,
  })
  busy.start()
  await begun
  await busy.stop()
  t.ok(isDone, 'the run learned of the stop and came to its end')
})

t.test('a check that takes no time is repeated too; its pauses need not keep the process alive', async t => {
  const { promise: third, resolve } = withResolvers<void>()
  let checks = 0
  const check = () => {
    if (++checks === 3) resolve()
    if (checks === 1) throw new Error('once')
  }
  const errors: unknown[] = []
  const task = repeat({ everyMs: 1, run: check, onError: error => errors.push(error) })
  task.start()
  await third
  await task.stop()
  t.match(errors, [{ message: 'once' }])

  const program = `
    import { repeat } from '${new URL('../dist/index.js', import.meta.url).href}'
    repeat({ everyMs: 3_600_000, ref: false, run() {}, onError() {} }).start()`
  const { status } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    timeout: 20_000,
  })
  t.equal(status, 0, 'the process ends')
})

t.test('a stop waits no longer than it may', async () => {
  const { promise: begun, resolve: begin } = withResolvers<void>()
  const { promise: never, resolve: end } = withResolvers<void>()
  const stuck = repeat({
    everyMs: 1,
    firstAfterMs: 0,
    stopWithinMs: 10,
    run: () => {
      begin()
      return never
    },
    onError: fail,
  })
  stuck.start()
  await begun
  await stuck.stop()
  end()
})
