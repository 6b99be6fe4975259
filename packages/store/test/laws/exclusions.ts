// Histories that are not drawn, because the store is known to break a law there. To draw them, write false.

export const EXCLUDED = {
  /**
   * A composable policy has another memo in a later incarnation, and a payment without a memo arrives before the Created event
   * of its own incarnation and after that of an earlier one. It keeps the earlier tracking ID, under which it was told.
   */
  memoThatChangesBetweenIncarnations: true,
}
