// The short form of `npm run chaos`: 45 s with a seed that is always the same and 45 s with a fresh one. All it said
// is shown when it finds a difference; its seed, in the line before the differences, plays the schedule again.
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { FOLLOW_PARENT } from '@payment-tracking/stack'
import t from 'tap'

const RUN = fileURLToPath(new URL('chaos/run.ts', import.meta.url))

// Twice 45 s, and each time the system starts, comes to rest and is compared.
t.setTimeout(420_000)

t.test('nothing is lost, doubled or misdirected while everything is broken', async t => {
  const run = spawn(process.execPath, [...FOLLOW_PARENT, '--import', 'tsx', RUN, '--ci'], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  t.teardown(() => run.kill())
  const output = await text(run.stdout!)
  for (const [line] of output.matchAll(/^(chaos: .*|no difference .*)$/gm)) t.comment(line)
  const differences = output.match(/^(DIFFERENCE|ended after) .*$/gm) ?? []
  const endedWell = output.match(/^no difference after \d+ faults$/gm)?.length ?? 0
  if (differences.length > 0 || endedWell < 2) t.comment(output)
  t.same(differences, [])
  t.equal(endedWell, 2)
})
