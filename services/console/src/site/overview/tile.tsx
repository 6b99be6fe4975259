import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { Amount } from '../show/values.js'

/** A figure that leads to its list. */
export function Tile({
  name,
  href,
  figure,
  tone = '',
  isText = false,
  children,
}: {
  name: string
  href: string
  figure: ReactNode
  tone?: 'bad' | 'wait' | ''
  /** several lines of amounts stand smaller than one number */
  isText?: boolean
  children?: ReactNode
}) {
  return (
    <Link href={href} className={`tile ${tone}`}>
      <span className="name">
        {name} <span aria-hidden="true">→</span>
      </span>
      <span className={isText ? 'figure amounts' : 'figure'}>{figure}</span>
      <span className="small">{children}</span>
    </Link>
  )
}

/** The most that a tile has place for. */
const MOST_TOKENS = 3

/** Sums of several tokens, each on its line: amounts of tokens are never added. */
export function TokenSums({
  sums,
}: {
  sums: readonly { tokenMint: string | null; totalAmount: string | number | bigint }[]
}) {
  if (sums.length === 0) return <>none</>
  const more = sums.length - MOST_TOKENS
  return (
    <>
      {sums.slice(0, MOST_TOKENS).map(({ tokenMint, totalAmount }) => (
        <span key={tokenMint ?? 'unknown'}>
          <Amount raw={totalAmount} mint={tokenMint} />
          <br />
        </span>
      ))}
      {more > 0 && <span className="small quiet">and {more} more tokens</span>}
    </>
  )
}
