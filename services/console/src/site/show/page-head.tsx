import type { ReactNode } from 'react'
import { Link } from 'wouter'

/** The title of a page, what it is for, and what can be done with all of it. */
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
  return (
    <div>
      {back && (
        <Link className="back" href={back.href}>
          {back.title}
        </Link>
      )}
      <div className="page-head">
        <h1>{title}</h1>
        {children}
      </div>
      {lead && <div className="lead">{lead}</div>}
    </div>
  )
}
