/** V8 optimizes no WebAssembly. The gate runs its test files with it (scripts/gate/steps.mjs), and what they start has it too. */
const UNOPTIMIZED = '--liftoff-only'

/** Node options before the script: the process stops in order when its parent dies. Needs `ipc` among its stdio. */
export const FOLLOW_PARENT: readonly string[] = [
  ...process.execArgv.filter(option => option === UNOPTIMIZED),
  '--import',
  new URL('../../dist/follow-parent.js', import.meta.url).href,
]
