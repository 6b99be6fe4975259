// Histories that are not drawn, because the store is known to break a law there. To draw them, write false.

export const EXCLUDED = {
  /**
   * A payment without a memo arrives with an unknown place in the slot of its composable policy, behind the policy's Created
   * event, and a copy tells its place later. It is told nowhere and has no tracking ID, although its policy is known.
   */
  executionThatMovesBehindItsPolicy: false,
}
