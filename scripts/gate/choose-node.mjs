// The Node that runs test files: this one, or of the major version that TEST_NODE names, from npm.
import { existsSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { ROOT, run } from '../command.mjs'

const CACHE = join(ROOT, 'node_modules/.cache/payment-tracking')
/** What npm's package `node` unpacks by a script, which npm may be told not to run. */
const PACKAGE = `node-${process.platform}-${process.arch}`

const installing = new Map()

async function install(version) {
  const folder = join(CACHE, `node-${version}`)
  const program = join(folder, 'node_modules', PACKAGE, 'bin/node')
  if (!existsSync(program))
    await run('npm', ['install', '--no-save', '--prefix', folder, `${PACKAGE}@${version}`])
  return program
}

/**
 * @param version such as `22`; undefined: the version that runs this
 * @returns the `program`, and the `env` by which it is found as `node`, too
 */
export async function chooseNode(version) {
  if (!version) return { program: process.execPath, env: {} }
  if (!installing.has(version)) installing.set(version, install(version))
  const program = await installing.get(version)
  return { program, env: { PATH: `${dirname(program)}${delimiter}${process.env.PATH}` } }
}
