// How amounts, times and keys look on every page.
import { useState } from 'react'
import { useTokens } from '../api/tokens.js'
import { formatAmount } from './format-amount.js'

/** With symbol and decimals where the service knows the token, and always with the raw number beside. */
export function Amount({ raw, mint }: { raw: string | number | bigint | null; mint?: string | null }) {
  const token = useTokens().get(mint ?? '')
  if (raw === null) return <span className="quiet">none</span>
  if (!token) {
    return (
      <span className="amount">
        {String(raw)} <small className="quiet">{mint ? `of ${mint.slice(0, 4)}…` : 'raw'}</small>
      </span>
    )
  }
  return (
    <span className="amount">
      {formatAmount(raw, token.decimals)} {token.symbol} <small className="quiet">{String(raw)}</small>
    </span>
  )
}

/** Local time; the title says it in UTC. @param at ISO text or Unix seconds */
export function Time({ at }: { at: string | number | bigint | null | undefined }) {
  if (at === null || at === undefined) return <span className="quiet">unknown</span>
  const date = typeof at === 'string' ? new Date(at) : new Date(Number(at) * 1_000)
  const iso = date.toISOString()
  return (
    <time dateTime={iso} title={`${iso.slice(0, 19).replace('T', ' ')} UTC`}>
      {date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' })}
    </time>
  )
}

/** A public key or signature, shortened; its button copies the whole. */
export function Key({ value }: { value: string | null | undefined }) {
  const [isCopied, setCopied] = useState(false)
  if (!value) return <span className="quiet">unknown</span>
  const copy = () => {
    void navigator.clipboard?.writeText(value).then(() => {
      setCopied(true)
      setTimeout(() => setCopied(false), 1_500)
    })
  }
  return (
    <span className="key">
      <code title={value}>{shorten(value)}</code>
      <button type="button" className="copy" onClick={copy} aria-label={`Copy ${value}`}>
        {isCopied ? 'copied' : 'copy'}
      </button>
    </span>
  )
}

export const shorten = (key: string): string =>
  key.length <= 16 ? key : `${key.slice(0, 6)}…${key.slice(-6)}`

/** A state as a word in a coloured frame: the colour alone says nothing. */
export function Badge({ children, tone }: { children: string; tone: 'good' | 'bad' | 'wait' | 'plain' }) {
  return <span className={`badge ${tone}`}>{children}</span>
}

export const Finality = ({ value }: { value: string | undefined }) =>
  value === 'finalized' ? (
    <Badge tone="good">finalized</Badge>
  ) : (
    <Badge tone="wait">{value ?? 'unknown'}</Badge>
  )
