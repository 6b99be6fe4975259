// Runs scripts of package.json as somebody types them.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

export const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
}

/** Runs a script of package.json, without npm. */
export const run = (script: string, args: string[], env: Record<string, string> = {}) =>
  new Promise<{ code: unknown; output: string }>(resolve =>
    execFile(
      process.execPath,
      [...scripts[script]!.split(' ').slice(1), ...args],
      { cwd: ROOT, env: { PATH: process.env.PATH, DATA_DIR: '/nowhere', ...env } },
      (error, stdout, stderr) => resolve({ code: error ? error.code : 0, output: stdout + stderr }),
    ),
  )
