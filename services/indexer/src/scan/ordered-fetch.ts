/**
 * Maps items with at most `concurrency` at once and gives the results in the order of the items. The first failure ends
 * the mapping.
 */
export async function mapInOrder<T, R>(
  items: readonly T[],
  concurrency: number,
  map: (item: T) => Promise<R>,
): Promise<R[]> {
  const results = new Array<R>(items.length)
  let next = 0
  const work = async () => {
    for (let at = next++; at < items.length; at = next++) results[at] = await map(items[at]!)
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, work))
  return results
}
