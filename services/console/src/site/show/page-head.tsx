import { useEffect, useRef, type ReactNode } from 'react'
import { Link } from 'wouter'
import { SavedLists } from '../filters/saved-lists.js'
import { ENVIRONMENT_NAME, IS_PRODUCTION } from '../settings.js'

const BEFORE_TITLE = IS_PRODUCTION ? '' : `[${ENVIRONMENT_NAME}] `

/** A long address of the web breaks after a slash, and not inside a word. */
const withBreaks = (text: string): ReactNode[] =>
  text.split(/(?<=\/)(?=[^/])/).flatMap((part, at) => (at === 0 ? part : [<wbr key={at} />, part]))

/** The title of a page, which the window gets too, what it is for, and what can be done with all of it. */
export function PageHead({
  title,
  lead,
  back,
  children,
}: {
  title: ReactNode
  lead?: ReactNode
  back?: { href: string; title: string }
  children?: ReactNode
}) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${BEFORE_TITLE}${heading.current?.textContent} · Payment tracking`
  })
  return (
    <div>
      {back && (
        <Link className="back" href={back.href}>
          {back.title}
        </Link>
      )}
      <div className="page-head">
        <h1 ref={heading}>{typeof title === 'string' ? withBreaks(title) : title}</h1>
        {children}
        <SavedLists />
      </div>
      {lead && <div className="lead">{lead}</div>}
    </div>
  )
}
