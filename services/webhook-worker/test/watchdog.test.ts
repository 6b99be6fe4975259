import t from 'tap'
import { buildWatchdog } from '../src/maintenance/watchdog.js'

t.test('only a worker that starts nothing while jobs wait and slots are free is stuck', t => {
  const limits = { stuckMs: 1_000, concurrency: 10 }
  const steps = (...looks: [waiting: number, active: number, started: number, timeMs: number][]) => {
    const dog = buildWatchdog(limits)
    return looks.map(([waiting, active, started, timeMs]) =>
      dog.look({ waiting, progress: { active, started }, timeMs }),
    )
  }
  t.strictSame(steps([5, 0, 7, 0], [5, 0, 7, 500], [5, 0, 7, 1_500]), [false, false, true], 'stuck')
  t.strictSame(
    steps([5, 0, 7, 0], [5, 0, 8, 500], [5, 0, 9, 1_500]),
    [false, false, false],
    'slow but moving',
  )
  t.strictSame(steps([0, 0, 7, 0], [0, 0, 7, 500], [0, 0, 7, 9_000]), [false, false, false], 'nothing to do')
  t.strictSame(
    steps([5, 10, 7, 0], [5, 10, 7, 500], [5, 10, 7, 9_000]),
    [false, false, false],
    'all slots taken',
  )
  t.strictSame(
    steps([5, 0, 7, 0], [5, 0, 7, 500], [0, 0, 7, 900], [5, 0, 7, 1_800]),
    [false, false, false, false],
    'the time starts again',
  )
  t.end()
})
