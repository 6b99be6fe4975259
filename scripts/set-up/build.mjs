// Builds every package and service when something that a build reads has changed.
import { readBuildStamp } from './build-stamp.mjs'
import { ROOT, run, withProgress } from './run.mjs'

const ENV = { TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1', NODE_ENV: 'development' }

/** @throws Error with what the failing task said */
export async function build(log) {
  const stamp = readBuildStamp(ROOT)
  if (stamp.isFresh) return
  let latest = ''
  const onOutput = text => {
    // turbo prints each task that it begins: `@payment-tracking/console:build: cache bypass, force executing 1a2b3c`.
    const tasks = [...text.matchAll(/^(?:@payment-tracking\/|\/\/:)([\w:-]+): cache/gm)]
    latest = tasks.at(-1)?.[1] ?? latest
  }
  const args = ['run', 'build', '//#bundle', '--output-logs=new-only', '--log-order=stream']
  await withProgress(
    log,
    'building',
    () => latest,
    () => run(process.execPath, ['node_modules/turbo/bin/turbo', ...args], { env: ENV, onOutput }),
  )
  stamp.write()
}
