/** For Node, before the script: it stops in order when the process that spawned it dies. Needs `ipc` among its stdio. */
export const FOLLOW_PARENT: readonly string[] = [
  '--import',
  new URL('./follow-parent.js', import.meta.url).href,
]
