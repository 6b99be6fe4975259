// Preloaded into a test file, to talk with the runner over the IPC channel.
import { readFileSync } from 'node:fs'

/** The clock ticks of /proc have this length on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100

/** CPU time of this process and of those that it started and waited for; 0 where there is no /proc. */
function readCpuSeconds() {
  try {
    // Behind the program's name in parentheses; utime, stime, cutime and cstime are the fields 14 to 17.
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1).split(' ').slice(11, 15)
    return fields.reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND
  } catch {
    return 0
  }
}

// When the runner is killed, the channel closes, and the test file ends itself and every process in its group.
process.once('disconnect', () => process.kill(-process.pid, 'SIGTERM'))
// For the runner's table of CPU time (TEST_CPU=1), on Linux.
process.once('exit', () => process.channel && process.send({ cpuSeconds: readCpuSeconds() }))
// The channel alone must not keep a file alive that has finished.
process.channel?.unref()
