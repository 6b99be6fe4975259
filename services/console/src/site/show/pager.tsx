// How much of a list is shown, and the way to the rest of it.

/** `51 to 100 of more than 100`, `3 in total`, or `No more` behind a last page that was full. @param from how many stand before the first that is shown @param total where it is known, and not of before */
export function shownWords(from: number, shown: number, hasMore: boolean, total = 0): string {
  if (shown === 0) return 'No more.'
  const last = (from + shown).toLocaleString('en-US')
  const all = !hasMore ? last : total > from + shown ? total.toLocaleString('en-US') : `more than ${last}`
  if (from === 0) return hasMore ? `The first ${last} of ${all}.` : `${last} in total.`
  return `${(from + 1).toLocaleString('en-US')} to ${last} of ${all}.`
}

/** Buttons are there only where there is another page. */
export function Pager({
  from,
  shown,
  hasMore,
  newer,
  older,
}: {
  from: number
  shown: number
  hasMore: boolean
  newer: () => void
  older: () => void
}) {
  if (from === 0 && shown === 0) return null
  return (
    <div className="row">
      <span role="status" className="quiet">
        {shownWords(from, shown, hasMore)}
      </span>
      {(from > 0 || hasMore) && (
        <>
          <button type="button" className="outline" disabled={from === 0} onClick={newer}>
            Newer
          </button>
          {shown > 0 && (
            <button type="button" className="outline" disabled={!hasMore} onClick={older}>
              Older
            </button>
          )}
        </>
      )}
    </div>
  )
}
