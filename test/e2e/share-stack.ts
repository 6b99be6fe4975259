// The whole of `npm start` with servers of its own, for all files of a process: they meet by no gateway and by no tracking ID.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StackFile } from '@payment-tracking/stack'
import { outermost, startStack, type StartedStack, type TestContext } from '@payment-tracking/testkit'

let shared: Promise<StartedStack> | undefined

/** @returns the stack, and a data directory of this file's own, in which commands find the stack and keep their keys */
export async function shareStack(t: TestContext): Promise<StackFile & { dataDir: string }> {
  shared ??= startStack(outermost(t), { RATE_LIMIT_MAX: '100000', WEBHOOK_BACKOFF_MS: '50' })
  const stack = await shared
  const dataDir = mkdtempSync(join(tmpdir(), 'payment-tracking-commands-'))
  t.teardown(() => rmSync(dataDir, { recursive: true }))
  copyFileSync(join(stack.dataDir, 'stack.json'), join(dataDir, 'stack.json'))
  return { ...stack.describe(), dataDir }
}
