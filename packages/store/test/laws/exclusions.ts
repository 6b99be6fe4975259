// What the store is known to get wrong: such histories are not drawn. To draw them too, write false.

export const EXCLUDED = {
  /**
   * A composable policy has another memo in a later incarnation, and a payment without a memo arrives before the Created event
   * of its own incarnation and after that of an earlier one. It keeps the earlier tracking ID, under which it was told.
   */
  memoThatChangesBetweenIncarnations: true,
}
