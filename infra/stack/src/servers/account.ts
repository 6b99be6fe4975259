import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

export interface Account {
  name: string
  uid: number
  gid: number
}

/**
 * The account that Postgres runs as. Postgres refuses to run as root, so root uses `postgres` or `nobody`. The uid
 * needs a line in /etc/passwd, because initdb looks its name up.
 * @returns undefined when this process is not root and needs no other account
 */
export function findPostgresAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  for (const wanted of ['postgres', 'nobody']) {
    const fields = lines.map(line => line.split(':')).find(([name]) => name === wanted)
    if (fields) return { name: wanted, uid: Number(fields[2]), gid: Number(fields[3]) }
  }
  throw new Error('Postgres does not run as root, and /etc/passwd has neither postgres nor nobody')
}

/** Whether other accounts may pass every directory on the way to `path` (root's home often forbids it). */
export function isOpenToOthers(path: string): boolean {
  for (let at = existsSync(path) ? path : dirname(path); ; at = dirname(at)) {
    if (existsSync(at) && statSync(at).isDirectory() && (statSync(at).mode & 0o001) === 0) return false
    if (dirname(at) === at) return true
  }
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
