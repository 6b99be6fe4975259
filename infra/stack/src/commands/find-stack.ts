import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceError } from '@payment-tracking/runtime'
import { readStackFile, type StackFile } from '../launcher/index.js'

/** No stack runs in the data directory. */
export class NoStackError extends ServiceError {
  readonly code = 'STACK_NOT_RUNNING'
  readonly retry = 'later'
}

const LOOK_EVERY_MS = 1_000

/** Resolves once no stack runs with this DATA_DIR any more. @param signal ends the waiting too */
export async function untilStackEnds(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<void> {
  const dataDir = resolve(env.DATA_DIR?.trim() || '.data')
  while (!signal.aborted && readStackFile(dataDir))
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => {})
}

/** The stack that runs with this DATA_DIR. @throws NoStackError */
export function findStack(env: NodeJS.ProcessEnv): StackFile {
  const dataDir = resolve(env.DATA_DIR?.trim() || '.data')
  const stack = readStackFile(dataDir)
  if (!stack) {
    throw new NoStackError(
      `nothing runs with the data directory ${dataDir}: start it with npm start, or set DATA_DIR`,
    )
  }
  return stack
}
