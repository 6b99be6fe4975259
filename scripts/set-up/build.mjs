// Builds every package and service when something that a build reads has changed.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packagesOf, readBuildStamp } from './build-stamp.mjs'
import { ROOT, run, withProgress } from './run.mjs'

const ENV = { TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1', NODE_ENV: 'development' }

const turbo = (task, onOutput) =>
  run(
    process.execPath,
    ['node_modules/turbo/bin/turbo', 'run', task, '--output-logs=new-only', '--log-order=stream'],
    { env: ENV, onOutput },
  )

const isCompiled = workspace =>
  JSON.parse(readFileSync(join(ROOT, workspace, 'package.json'), 'utf8')).scripts.build?.includes('tsc -b')

/**
 * One compiler for all workspaces takes a third of the CPU of one compiler each. The tasks of turbo that follow find
 * nothing left to compile.
 */
const compile = () =>
  run(process.execPath, ['node_modules/typescript-7/bin/tsc', '-b', ...packagesOf(ROOT).filter(isCompiled)])

/** @throws Error with what the failing task said */
export async function build(log) {
  const stamp = readBuildStamp(ROOT)
  if (stamp.isFresh) return
  let latest = ''
  const onOutput = text => {
    // turbo prints each task that it begins: `@payment-tracking/store:build: cache miss, executing 1a2b3c`.
    const tasks = [...text.matchAll(/^@payment-tracking\/([\w-]+):\w+: cache/gm)]
    latest = tasks.at(-1)?.[1] ?? latest
  }
  await withProgress(
    log,
    'building',
    () => latest,
    async () => {
      await turbo('generate', onOutput)
      latest = 'TypeScript'
      await compile()
      await turbo('build', onOutput)
    },
  )
  stamp.write()
}
