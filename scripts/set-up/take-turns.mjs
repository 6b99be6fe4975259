// Two set-ups of one checkout at once would delete each other's files: one waits for the other.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const LOOK_EVERY_MS = 250

/** Process ids are used again: a holder that does not renew its file for this long is gone. */
const RENEW_EVERY_MS = 2_000

function readHolder(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

function isGone({ pid, at }) {
  if (Date.now() - at > 10 * RENEW_EVERY_MS) return true
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return error.code === 'ESRCH'
  }
}

/**
 * Does work while no other process does such work in this checkout.
 * @param root the checkout
 * @param onWait called once with the process that has to end first
 */
export async function takeTurns(root, work, onWait = () => {}) {
  // Not in node_modules, which `npm ci` deletes.
  const file = join(root, 'dist/set-up.lock')
  const hold = flag => writeFileSync(file, JSON.stringify({ pid: process.pid, at: Date.now() }), { flag })
  mkdirSync(join(root, 'dist'), { recursive: true })
  for (let hasWaited = false; ;) {
    try {
      hold('wx')
      break
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    const holder = readHolder(file)
    if (holder === undefined || isGone(holder)) {
      // A file that is written at this moment is no leftover.
      await sleep(LOOK_EVERY_MS)
      const again = readHolder(file)
      if (again === undefined || (again.pid === holder?.pid && isGone(again))) rmSync(file, { force: true })
      continue
    }
    if (!hasWaited) onWait(holder.pid)
    hasWaited = true
    await sleep(LOOK_EVERY_MS)
  }
  const renewal = setInterval(() => hold('w'), RENEW_EVERY_MS).unref()
  const release = () => {
    clearInterval(renewal)
    rmSync(file, { force: true })
  }
  process.once('exit', release)
  try {
    return await work()
  } finally {
    process.off('exit', release)
    release()
  }
}
