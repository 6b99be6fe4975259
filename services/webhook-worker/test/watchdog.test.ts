import t from 'tap'
import { buildWatchdog } from '../src/maintenance/watchdog.js'

t.test('a worker is stuck when it starts nothing although jobs wait and slots are free', t => {
  type Check = [waiting: number, active: number, started: number, postgresAnswers?: boolean] | 'no Redis'
  const steps = (...checks: Check[]) => {
    const dog = buildWatchdog(2)
    return checks.map(check => {
      if (check === 'no Redis') {
        dog.forget()
        return false
      }
      const [waiting, active, started, postgresAnswers = true] = check
      return dog.check({ waiting, progress: { active, started, slots: 10 }, postgresAnswers })
    })
  }
  const idle: Check = [5, 0, 7]
  t.strictSame(steps(idle, idle, idle, idle), [false, false, false, true], 'stuck')
  const never = (message: string, ...checks: Check[]) => t.notOk(steps(...checks).includes(true), message)
  never('slow but moving', [5, 0, 7], [5, 0, 8], [5, 0, 9], [5, 0, 10], [5, 0, 11])
  never('nothing to do', [0, 0, 7], [0, 0, 7], [0, 0, 7], [0, 0, 7], [0, 0, 7])
  never('all slots taken', [5, 10, 7], [5, 10, 7], [5, 10, 7], [5, 10, 7], [5, 10, 7])
  never('jobs waited, and then none did', idle, idle, idle, [0, 0, 7], idle, idle)
  never('Postgres is away', idle, idle, idle, [5, 0, 7, false], idle, idle)
  never('Redis is away', idle, idle, idle, 'no Redis', idle, idle)
  t.end()
})
