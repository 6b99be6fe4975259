import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type ServerUrls,
  isAlive,
  signalProcess,
  waitForDeath,
  type ProcessIdentity,
} from '../servers/index.js'

/** The running stack, for commands that talk to it: DATA_DIR/stack.json. */
export interface StackFile extends ServerUrls {
  launcher: ProcessIdentity
  baseUrl: string
  opsUrl: string
  opsToken: string
  environment: string
  services: {
    name: string
    process: ProcessIdentity | null
    port: number | null
    managementUrl: string | null
  }[]
}

const fileOf = (dataDir: string): string => join(dataDir, 'stack.json')

/**
 * The file holds passwords, so only its owner may read it. Written to another file and renamed, so that a reader never
 * sees half of it.
 */
export function writeStackFile(dataDir: string, stack: StackFile): void {
  const file = fileOf(dataDir)
  writeFileSync(`${file}.new`, JSON.stringify(stack, null, 2), { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

/** @returns undefined when no stack runs in this data directory */
export function readStackFile(dataDir: string): StackFile | undefined {
  const stack = parse(dataDir)
  return stack && isAlive(stack.launcher) ? stack : undefined
}

export const removeStackFile = (dataDir: string): void => rmSync(fileOf(dataDir), { force: true })

/** Ends services that a killed launcher left behind: they stop by themselves, unless they hang. */
export async function endLeftovers(dataDir: string, log: (line: string) => void): Promise<void> {
  const left = (parse(dataDir)?.services ?? []).filter(({ process }) => process && isAlive(process))
  if (left.length === 0) return
  log(`stopping what an earlier start left running: ${left.map(({ name }) => name).join(', ')}`)
  await Promise.all(
    left.map(async ({ process }) => {
      signalProcess(process!, 'SIGTERM')
      if (!(await waitForDeath(process!, 5_000))) signalProcess(process!, 'SIGKILL')
    }),
  )
}

function parse(dataDir: string): StackFile | undefined {
  try {
    return JSON.parse(readFileSync(fileOf(dataDir), 'utf8')) as StackFile
  } catch {
    return undefined
  }
}
