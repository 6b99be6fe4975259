// Preloaded into a test file. When the runner is killed, its IPC channel closes, and the test file ends itself and every
// process in its group.
process.once('disconnect', () => process.kill(-process.pid, 'SIGTERM'))
// The channel alone must not keep a file alive that has finished.
process.channel?.unref()
