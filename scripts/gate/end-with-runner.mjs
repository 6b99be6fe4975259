// Preloaded into what the gate runs. When the gate is killed, the channel closes, and the program ends itself and every
// process in its group.
process.once('disconnect', () => process.kill(-process.pid, 'SIGTERM'))
// The channel alone must not keep a program alive that has finished.
process.channel?.unref()
