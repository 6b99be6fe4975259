/**
 * What to spawn for Node as it runs outside of tests: `spawn(...bareNode(file), options)`. tap puts a loader that
 * records imports into every Node that a test starts, and into those it starts in turn; a service then takes twice
 * the CPU to start (1.1–1.6 s instead of 0.6–0.8).
 * @param args what follows `node`
 */
export const bareNode = (...args: string[]): [command: string, args: string[]] =>
  // `env` becomes Node: its pid, and whoever gets a signal.
  ['/usr/bin/env', ['-u', 'NODE_OPTIONS', process.execPath, ...args]]
