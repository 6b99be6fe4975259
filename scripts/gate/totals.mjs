/** @param all each with the counts `passed` and `failed` */
export const addTotals = (...all) => ({
  passed: all.reduce((sum, { passed }) => sum + passed, 0),
  failed: all.reduce((sum, { failed }) => sum + failed, 0),
})

/** For a line of progress. The text `N passed, N failed` is kept for the last line. */
export const describeCounts = ({ passed, failed }) =>
  failed > 0 ? `${failed} of ${passed + failed} assertions failed` : `${passed} assertions`

/**
 * Prints the line `N passed, N failed` last and exits: 0 when something passed and nothing failed.
 * @param gate gets a signal that Ctrl-C and SIGTERM abort; @returns the counts
 */
export async function exitWithTotals(gate) {
  const stopping = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => stopping.abort())
  let totals = { passed: 0, failed: 1 }
  try {
    totals = await gate(stopping.signal)
  } catch (error) {
    console.error(error.message)
  }
  console.log(`${totals.passed} passed, ${totals.failed} failed`)
  process.exit(totals.failed === 0 && totals.passed > 0 ? 0 : 1)
}
