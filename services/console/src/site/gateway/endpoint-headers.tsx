export interface HeaderRow {
  name: string
  value: string
}

/** The most headers that the service takes. */
const MOST = 10

/** @returns what the API takes; null removes all headers, and undefined leaves them as they are */
export function headersOf(rows: readonly HeaderRow[] | null): Record<string, string> | null | undefined {
  if (rows === null) return undefined
  const given = rows.filter(({ name }) => name.trim() !== '')
  return given.length === 0
    ? null
    : Object.fromEntries(given.map(({ name, value }) => [name.trim(), value.trim()]))
}

/**
 * The headers of each request. The service never shows a value, so a change replaces them all.
 * @param rows null keeps the headers as they are
 */
export function EndpointHeaders({
  names,
  rows,
  onChange,
}: {
  names: readonly string[]
  rows: readonly HeaderRow[] | null
  onChange: (rows: readonly HeaderRow[] | null) => void
}) {
  const change = (index: number, part: Partial<HeaderRow>) =>
    onChange(rows?.map((row, nth) => (nth === index ? { ...row, ...part } : row)) ?? null)
  return (
    <fieldset>
      <legend>Custom headers</legend>
      <p className="quiet">
        {names.length === 0 ? 'None are set.' : `Set: ${names.join(', ')}. Their values are not shown.`}
      </p>
      <label className="tick">
        <input
          type="checkbox"
          checked={rows !== null}
          onChange={event => onChange(event.target.checked ? [{ name: '', value: '' }] : null)}
        />
        {names.length === 0 ? 'Set headers' : 'Replace all headers (leave the names empty to remove them)'}
      </label>
      {rows?.map((row, index) => (
        // oxlint-disable-next-line react/no-array-index-key
        <div className="columns" key={index}>
          {(['name', 'value'] as const).map(part => (
            <label key={part}>
              {part === 'name' ? 'Header' : 'Value'} {index + 1}
              <input
                value={row[part]}
                autoComplete="off"
                spellCheck={false}
                onChange={event => change(index, { [part]: event.target.value })}
              />
            </label>
          ))}
        </div>
      ))}
      {rows && rows.length < MOST && (
        <button
          type="button"
          className="outline"
          onClick={() => onChange([...rows, { name: '', value: '' }])}
        >
          Add header
        </button>
      )}
    </fieldset>
  )
}
