/** Resolves when the work is done, or after the time. @throws the error of the work, if it fails in time */
export async function waitAtMost(ms: number, work: () => Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>(resolve => (timer = setTimeout(resolve, ms)))
  const working = work()
  working.catch(() => {})
  try {
    await Promise.race([working, late])
  } finally {
    clearTimeout(timer)
  }
}
