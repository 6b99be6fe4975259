// Chooses the Node that runs test files. Without TEST_NODE it is the Node that runs this file. Otherwise TEST_NODE names a major version,
// and npm installs it.
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
 * @param version such as `22`; undefined chooses the Node that runs this file
 * @returns the path of the `program`, and an `env` in which the command `node` starts the same program
 */
export async function chooseNode(version) {
  if (!version) return { program: process.execPath, env: {} }
  if (!installing.has(version)) installing.set(version, install(version))
  const program = await installing.get(version)
  return { program, env: { PATH: `${dirname(program)}${delimiter}${process.env.PATH}` } }
}
