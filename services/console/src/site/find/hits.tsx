import { Link } from 'wouter'
import { shorten, Written } from '../show/values.js'
import { nameOf, pathOf, type Found } from './find-path.js'

const LONG = 32

/** One that was found, with its kind, as a link to its page. @param own the gateway that is signed in */
export function Hit({ hit, own, onFollow }: { hit: Found; own: string | null; onFollow?: () => void }) {
  return (
    <li>
      <Link href={pathOf(hit, own)} {...(onFollow && { onClick: onFollow })}>
        <strong>{nameOf(hit)}</strong>
        <span className="quiet">
          <Written value={hit.name ?? (hit.id.length > LONG ? shorten(hit.id) : hit.id)} />
        </span>
      </Link>
    </li>
  )
}
