import { useFilter } from './use-filter.js'

/**
 * Where nothing was found: the same search without blanks at the ends of its text, which a tracking ID may have.
 * @param parameter of the address that holds the text
 */
export function WithoutBlanks({ parameter }: { parameter: string }) {
  const [text, setText] = useFilter(parameter)
  const bare = text.trim()
  if (bare === '' || bare === text) return null
  return (
    <button type="button" className="outline" onClick={() => setText(bare)}>
      Search without the spaces around it
    </button>
  )
}
