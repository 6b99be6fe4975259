// Preloaded into every service the launcher starts: when the launcher dies without a word (SIGKILL, a closed
// terminal), its channel breaks, and the service stops in order instead of staying behind.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
// The channel alone must not keep a service alive that has finished.
process.channel?.unref()
