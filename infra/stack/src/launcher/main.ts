import { followNpm } from './follow-npm.js'
import { wrapLines } from '../wrap-lines.js'
import { launch, type PlayMarket } from './launch.js'

const DISK_IS_FULL =
  'The disk is full: free some GB, or put DATA_DIR on another disk; npm start then goes on from here.'

/**
 * `npm start`, once everything is built. The first Ctrl-C or SIGTERM stops in order, the second stops at once.
 * @param options `playMarket` is called as soon as everything is ready
 * @returns the exit code
 */
export async function main(
  env: NodeJS.ProcessEnv,
  { playMarket }: { playMarket?: PlayMarket | undefined } = {},
): Promise<number> {
  const stop = new AbortController()
  const force = new AbortController()
  const onSignal = (signal: NodeJS.Signals) => {
    if (stop.signal.aborted) {
      force.abort()
      console.error('stopped by force; the next start cleans up what is left')
      process.exit(130)
    }
    console.log(`${signal}: stopping (once more stops by force)`)
    stop.abort()
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  process.on('SIGHUP', onSignal)
  // The reader of the output may end earlier (`npm start | tee`, a terminal): that must not cut the stop short.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  const unfollow = followNpm(env, () => {
    if (stop.signal.aborted) return
    console.log('npm has ended: stopping')
    stop.abort()
  })
  try {
    const log = (line: string) => console.log(line)
    await launch({ env, log, signal: stop.signal, force: force.signal, playMarket })
    console.log('stopped; the data stays')
    return 0
  } catch (error) {
    const { message } = error as Error
    const isDiskFull = /ENOSPC|No space left on device/i.test(message)
    console.error(`\n${wrapLines(isDiskFull ? DISK_IS_FULL : message)}`)
    return 1
  } finally {
    unfollow()
  }
}
