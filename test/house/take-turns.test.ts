// Set-ups of one checkout wait for each other.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { once } from 'node:events'
import t from 'tap'
// @ts-expect-error a script without types
import { takeTurns } from '../../scripts/set-up/take-turns.mjs'

const inTurn = takeTurns as <T>(
  root: string,
  work: () => Promise<T>,
  onWait?: (pid: number) => void,
) => Promise<T>

t.test('works of one checkout do not overlap, and who waits learns for whom', async t => {
  const root = t.testdir()
  let running = 0
  const waited: number[] = []
  const work = async () => {
    t.equal((running += 1), 1)
    await new Promise(resolve => setImmediate(resolve))
    running -= 1
  }
  await Promise.all([1, 2, 3].map(() => inTurn(root, work, pid => waited.push(pid))))
  t.same(waited, [process.pid, process.pid])
  t.notOk(existsSync(join(root, 'dist/set-up.lock')), 'nothing is left')
})

t.test('what a process left that was killed holds nobody up', async t => {
  const root = t.testdir()
  const dead = spawn(process.execPath, ['--version'], { stdio: 'ignore' })
  await once(dead, 'exit')
  mkdirSync(join(root, 'dist'))
  writeFileSync(join(root, 'dist/set-up.lock'), JSON.stringify({ pid: dead.pid, at: Date.now() }))
  t.equal(await inTurn(root, async () => 'done'), 'done')
})
