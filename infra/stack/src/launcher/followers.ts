/**
 * Turns V8's optimizing compiler for WebAssembly off. The gate starts test files with this option (scripts/gate/steps.mjs), and a
 * test file starts services with the same option.
 */
const WITHOUT_OPTIMIZING = '--liftoff-only'

/** Node options before the script: the process stops in order when its parent dies. Needs `ipc` among its stdio. */
export const FOLLOW_PARENT: readonly string[] = [
  ...process.execArgv.filter(option => option === WITHOUT_OPTIMIZING),
  '--import',
  new URL('../../dist/follow-parent.js', import.meta.url).href,
]
