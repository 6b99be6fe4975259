import { resolve } from 'node:path'
import { ServiceError } from '@payment-tracking/runtime'
import { readStackFile, type StackFile } from '../launcher/index.js'

/** No stack runs in the data directory. */
export class NoStackError extends ServiceError {
  readonly code = 'STACK_NOT_RUNNING'
  readonly retry = 'later'
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
