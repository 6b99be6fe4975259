/**
 * What spares processes that live for seconds some CPU: V8 does not optimize WebAssembly, checks of it only what runs, and collects
 * young garbage less often.
 */
const SHORT_LIVED = ['--liftoff-only', '--wasm-lazy-validation', '--min-semi-space-size=16']

/** Those that this process has. The gate starts test files with them (scripts/gate/steps.mjs), and test files their programs. */
export const SHORT_LIVED_OPTIONS: readonly string[] = process.execArgv.filter(option =>
  SHORT_LIVED.includes(option),
)

/** Node options before the script: the process stops in order when its parent dies. Needs `ipc` among its stdio. */
export const FOLLOW_PARENT: readonly string[] = [
  ...SHORT_LIVED_OPTIONS,
  '--import',
  new URL('../../dist/follow-parent.js', import.meta.url).href,
]
