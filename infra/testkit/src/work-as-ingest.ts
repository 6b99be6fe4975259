import { setTimeout as sleep } from 'node:timers/promises'
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { runTaskPage } from '@payment-tracking/store/ingest'
import { type Store } from '@payment-tracking/store/core'
import type { TestContext } from './test-context.js'

const CHECK_EVERY_MS = 20

/** Does the work of a database until the test ends, as ingest does beside its batches. */
export function workAsIngest(t: TestContext, store: Store): void {
  let isOver = false
  const running = (async () => {
    while (!isOver)
      if ((await runTaskPage(store, { programId: DEFAULT_PROGRAM_ID })).length === 0)
        await sleep(CHECK_EVERY_MS)
  })()
  t.teardown(async () => {
    isOver = true
    await running
  })
}
