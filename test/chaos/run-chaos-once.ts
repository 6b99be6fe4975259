import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { FOLLOW_PARENT } from '@payment-tracking/stack'
import type { Test } from 'tap'

const RUN = fileURLToPath(new URL('run.ts', import.meta.url))

/**
 * Runs `npm run chaos` once and asserts that it found no difference. Its whole output is shown when it found one; the
 * line before the differences names the seed, which plays the same schedule again.
 * @param flags of `npm run chaos`
 */
export async function runChaosOnce(t: Test, flags: readonly string[]): Promise<void> {
  const run = spawn(process.execPath, [...FOLLOW_PARENT, '--import', 'tsx', RUN, ...flags], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  t.teardown(() => run.kill())
  const output = await text(run.stdout!)
  for (const [line] of output.matchAll(/^(chaos: .*|no difference .*)$/gm)) t.comment(line)
  const differences = output.match(/^(DIFFERENCE|ended after) .*$/gm) ?? []
  const endedWell = output.match(/^no difference after \d+ faults$/gm)?.length ?? 0
  if (differences.length > 0 || endedWell !== 1) t.comment(output)
  t.same(differences, [])
  t.equal(endedWell, 1)
}
