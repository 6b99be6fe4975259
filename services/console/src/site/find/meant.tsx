import { useQuery } from '@tanstack/react-query'
import { useSession } from '../session/session.js'
import { find } from './find.js'
import { Hit } from './hits.js'
import { RULE, RULE_OF_GATEWAY } from './rule.js'

const MOST_CHARACTERS = 200

/** Where a search box of a page found nothing: the rule of all of them, and what the text can mean by it. */
export function Meant({ text }: { text: string }) {
  const { session } = useSession()
  const own = session?.gateway ?? null
  const { data } = useQuery({
    queryKey: ['gateway', own, 'find', text],
    queryFn: () => find(text),
    enabled: text.trim() !== '' && text.length <= MOST_CHARACTERS,
  })
  return (
    <>
      <p>{own === null ? RULE : RULE_OF_GATEWAY}</p>
      {data && data.length > 0 && (
        <ul className="hits" aria-label="What the text can mean">
          {data.map(hit => (
            <Hit key={`${hit.kind} ${hit.id}`} hit={hit} own={own} />
          ))}
        </ul>
      )}
    </>
  )
}
