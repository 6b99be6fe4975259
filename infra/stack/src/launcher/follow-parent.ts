// Preloaded into what must not outlive the process that started it, such as services and their launcher: when that one
// dies without a word (SIGKILL, a closed terminal), the channel breaks, and this one stops in order.
import { fstatSync } from 'node:fs'

process.once('disconnect', () => {
  // Unless they go to a file, its lines have lost their reader as well: at exit pino tries to write what is left, for
  // ever when the first refusal comes only then (one stop in sixty). Nobody misses the exit code.
  if (!fstatSync(1).isFile()) process.prependListener('exit', () => process.kill(process.pid, 'SIGKILL'))
  process.kill(process.pid, 'SIGTERM')
})
// The channel alone must not keep a process alive that has finished.
process.channel?.unref()
