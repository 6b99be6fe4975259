import { useId, type ReactNode } from 'react'
import { Link } from 'wouter'
import { Meaning } from '../show/word.js'
import type { Word } from '../show/words.js'
import { Amount } from '../show/values.js'

/** A figure that leads to its list. */
export function Tile({
  name,
  href,
  figure,
  word,
  tone = '',
  isText = false,
  children,
}: {
  name: string
  href: string
  figure: ReactNode
  /** whose meaning shows at the tile */
  word?: Word
  tone?: 'bad' | 'wait' | ''
  /** several lines of amounts stand smaller than one number */
  isText?: boolean
  children?: ReactNode
}) {
  const id = useId()
  return (
    <Link href={href} className={`tile ${tone}`} aria-describedby={word && id}>
      <span className="name">
        {name} <span aria-hidden="true">→</span>
      </span>
      <span className={isText ? 'figure amounts' : 'figure'}>{figure}</span>
      <span className="small">{children}</span>
      {word && <Meaning word={word} id={id} />}
    </Link>
  )
}

/** The most that a tile has place for. */
const MOST_TOKENS = 3

/** Sums of several tokens, each on its line: amounts of tokens are never added. */
export function TokenSums({
  sums,
  isAtLeast = false,
}: {
  sums: readonly { tokenMint: string | null; totalAmount: string | number | bigint }[]
  /** there can be more than was added up */
  isAtLeast?: boolean
}) {
  if (sums.length === 0) return <>{isAtLeast ? 'not known' : 'none'}</>
  const more = sums.length - MOST_TOKENS
  return (
    <>
      {sums.slice(0, MOST_TOKENS).map(({ tokenMint, totalAmount }) => (
        <span key={tokenMint ?? 'unknown'}>
          {isAtLeast && 'at least '}
          <Amount raw={totalAmount} mint={tokenMint} />
          <br />
        </span>
      ))}
      {more > 0 && <span className="small quiet">and {more} more tokens</span>}
    </>
  )
}
