/** Node options before the script: the process stops in order when its parent dies. Needs `ipc` among its stdio. */
export const FOLLOW_PARENT: readonly string[] = [
  '--import',
  new URL('../../dist/follow-parent.js', import.meta.url).href,
]
