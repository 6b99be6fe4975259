/** Reads the next page of a list. */
export function More({
  title,
  pages,
}: {
  title: string
  pages: { hasNextPage: boolean; isFetching: boolean; fetchNextPage: () => unknown }
}) {
  if (!pages.hasNextPage) return null
  return (
    <button
      type="button"
      className="outline"
      aria-busy={pages.isFetching}
      disabled={pages.isFetching}
      onClick={() => void pages.fetchNextPage()}
    >
      {title}
    </button>
  )
}
