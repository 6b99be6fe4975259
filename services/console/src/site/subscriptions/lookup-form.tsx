import { useState, type FormEvent } from 'react'
import { useLocation } from 'wouter'

const LOOKUPS = [
  { by: 'trackingId', title: 'Tracking ID' },
  { by: 'userPublicKey', title: 'Payer (wallet or user payment)' },
  { by: 'recipient', title: 'Recipient' },
  { by: 'gatewayPublicKey', title: 'Gateway' },
  { by: 'walletPublicKey', title: 'Wallet and token mint' },
] as const
export type Lookup = (typeof LOOKUPS)[number]['by']

export const isLookup = (text: string | null): text is Lookup => LOOKUPS.some(({ by }) => by === text)

export interface LookupProps {
  by: Lookup
  value: string
  mint: string
}

export function LookupForm(first: LookupProps) {
  const [, navigate] = useLocation()
  const [by, setBy] = useState(first.by)
  const [value, setValue] = useState(first.value)
  const [mint, setMint] = useState(first.mint)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // A tracking ID may begin and end with blanks.
    const parameters = new URLSearchParams({ by, value: by === 'trackingId' ? value : value.trim() })
    if (by === 'walletPublicKey') parameters.set('mint', mint.trim())
    navigate(`/subscriptions?${parameters.toString()}`)
  }
  return (
    <form role="search" onSubmit={submit}>
      <div className="columns with-button">
        <label>
          Look up by
          <select value={by} onChange={event => setBy(event.target.value as Lookup)}>
            {LOOKUPS.map(({ by: each, title }) => (
              <option key={each} value={each}>
                {title}
              </option>
            ))}
          </select>
        </label>
        <label>
          {by === 'trackingId' ? 'Tracking ID' : 'Address'}
          <input required value={value} onChange={event => setValue(event.target.value)} spellCheck={false} />
        </label>
        {by === 'walletPublicKey' && (
          <label>
            Token mint
            <input required value={mint} onChange={event => setMint(event.target.value)} spellCheck={false} />
          </label>
        )}
        <button type="submit">Look up</button>
      </div>
    </form>
  )
}
