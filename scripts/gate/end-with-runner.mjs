// Preloaded into a test file: when the runner dies without a word (SIGKILL), the channel to it breaks, and the file ends
// with every process in its group.
process.once('disconnect', () => process.kill(-process.pid, 'SIGTERM'))
// The channel alone must not keep a file alive that has finished.
process.channel?.unref()
