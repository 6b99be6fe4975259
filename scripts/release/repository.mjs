// The repository, and the commands that the release runs in it.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/**
 * @returns what the command printed
 * @throws Error that names the command and what it said
 */
export function run(command, args, options = {}) {
  try {
    return execFileSync(command, args, {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 2 ** 28,
      ...options,
    }).trim()
  } catch (error) {
    const said = `${error.stderr ?? ''}`.trim().split('\n').slice(-20).join('\n')
    throw new Error(`${command} ${args.join(' ')} failed\n${said || error.message}`, { cause: error })
  }
}

export const has = command => {
  try {
    execFileSync(command, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

export const readRoot = file => readFileSync(`${ROOT}${file}`, 'utf8')
/** The version of all packages; test/release/release-files.test.ts holds that it is one. */
export const readVersion = () => JSON.parse(readRoot('package.json')).version

/** The manifests of the root and of each workspace. */
export const listManifests = () =>
  run('git', ['ls-files', 'package.json', ':(glob)**/package.json'])
    .split('\n')
    .filter(file => JSON.parse(readRoot(file)).version !== undefined)
