/**
 * Gives the items of a sequence and asks for the next item before the reader is done with the current one.
 * A failure is thrown when the reader reaches the failed item.
 */
export async function* readAhead<T>(items: AsyncIterator<T, void>): AsyncGenerator<T, void> {
  let next = items.next()
  for (;;) {
    const { value, done } = await next
    if (done) return
    next = items.next()
    // The reader may end before it reaches a failure.
    next.catch(() => {})
    yield value
  }
}
