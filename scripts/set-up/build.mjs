// Builds every package and service when something that a build reads has changed.
import { readBuildStamp } from './build-stamp.mjs'
import { ROOT, run, withProgress } from './run.mjs'

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
    () =>
      run(
        process.execPath,
        ['node_modules/turbo/bin/turbo', 'run', 'build', '--output-logs=new-only', '--log-order=stream'],
        { env: { TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1', NODE_ENV: 'development' }, onOutput },
      ),
  )
  stamp.write()
}
