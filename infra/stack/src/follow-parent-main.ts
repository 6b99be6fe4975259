// Preloaded into processes that must not outlive their starter, such as services and their launcher. When the starter
// dies without warning (SIGKILL, a closed terminal), the channel breaks, and the process stops in order.
import { fstatSync } from 'node:fs'

process.once('disconnect', () => {
  // Unless its lines go to a file, they have lost their reader as well: at exit, pino tries to write the remaining
  // lines, and never ends if the first refusal comes only then (one stop in sixty). Nothing needs the exit code.
  if (!fstatSync(1).isFile()) process.prependListener('exit', () => process.kill(process.pid, 'SIGKILL'))
  process.kill(process.pid, 'SIGTERM')
})
// The channel alone must not keep a finished process alive.
process.channel?.unref()
