// How keys and states look on every page.
import { useState, type ReactNode } from 'react'
import { Link } from 'wouter'
import { explorerLink } from '../settings.js'
import { Icon } from './icon.js'
import { WORDS } from './words.js'

export { Amount } from './amount.js'
export { ExactTime, Time } from './time.js'
export { Memo, Written } from './memo.js'

/** A public key or signature, shortened alike everywhere; its button copies the whole. */
export function Key({
  value,
  kind = 'address',
  href,
}: {
  value: string | null | undefined
  kind?: 'address' | 'tx'
  /** the page of it; without one, an explorer of the chain */
  href?: string
}) {
  const [isCopied, setCopied] = useState(false)
  if (!value) return <span className="quiet">unknown</span>
  const copy = () => {
    void navigator.clipboard?.writeText(value).then(() => {
      setCopied(true)
      setTimeout(() => setCopied(false), 1_500)
    })
  }
  const link = href === undefined ? explorerLink(kind, value) : null
  const short = <code title={value}>{shorten(value)}</code>
  return (
    <span className="key">
      {href !== undefined ? (
        <Link href={href}>{short}</Link>
      ) : link === null ? (
        short
      ) : (
        <a href={link} target="_blank" rel="noopener noreferrer">
          {short}
        </a>
      )}
      <button type="button" className="copy" onClick={copy} aria-label={`Copy ${value}`} title="Copy">
        <Icon name={isCopied ? 'done' : 'copy'} />
      </button>
      <span className="hidden" role="status">
        {isCopied && 'copied'}
      </span>
    </span>
  )
}

export const shorten = (key: string): string =>
  key.length <= 12 ? key : `${key.slice(0, 4)}…${key.slice(-4)}`

export type Tone = 'good' | 'bad' | 'wait' | 'plain'

/** A state as a word in a colour: the colour alone says nothing. */
export function Badge({ children, tone }: { children: ReactNode; tone: Tone }) {
  return <span className={`badge ${tone}`}>{children}</span>
}

export const Finality = ({ value }: { value: string | undefined }) => {
  if (value === undefined) return <Badge tone="plain">unknown</Badge>
  const word = value === 'finalized' ? 'final' : 'not yet final'
  return (
    <span title={WORDS[word]}>
      <Badge tone={word === 'final' ? 'good' : 'plain'}>{word}</Badge>
    </span>
  )
}
