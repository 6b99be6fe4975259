import { useQuery } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { Link, useLocation, useSearchParams } from 'wouter'
import { apiOf, ask } from '../api/request.js'
import { Loaded, Table } from '../show/states.js'
import { Amount, Badge, Key, shorten, Time } from '../show/values.js'
import { termsOf, type Subscription } from './policy-terms.js'

const LOOKUPS = [
  { by: 'trackingId', title: 'Tracking ID' },
  { by: 'userPublicKey', title: 'Payer (wallet or user payment)' },
  { by: 'recipient', title: 'Recipient' },
  { by: 'gatewayPublicKey', title: 'Gateway' },
  { by: 'walletPublicKey', title: 'Wallet and token mint' },
] as const
type Lookup = (typeof LOOKUPS)[number]['by']

const isLookup = (text: string | null): text is Lookup => LOOKUPS.some(({ by }) => by === text)

export function SubscriptionsPage() {
  const [parameters] = useSearchParams()
  const given = parameters.get('by')
  const lookup = {
    by: isLookup(given) ? given : 'trackingId',
    value: parameters.get('value') ?? '',
    mint: parameters.get('mint') ?? '',
  }
  return (
    <>
      <h1>Subscriptions</h1>
      <LookupForm key={parameters.toString()} {...lookup} />
      {lookup.value !== '' && <Results {...lookup} />}
    </>
  )
}

interface LookupProps {
  by: Lookup
  value: string
  mint: string
}

function LookupForm(first: LookupProps) {
  const [, navigate] = useLocation()
  const [by, setBy] = useState(first.by)
  const [value, setValue] = useState(first.value)
  const [mint, setMint] = useState(first.mint)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const parameters = new URLSearchParams({ by, value: value.trim() })
    if (by === 'walletPublicKey') parameters.set('mint', mint.trim())
    navigate(`/subscriptions?${parameters.toString()}`)
  }
  return (
    <form role="search" onSubmit={submit}>
      <div className="columns">
        <label>
          Look up by
          <select value={by} onChange={event => setBy(event.target.value as Lookup)}>
            {LOOKUPS.map(({ by, title }) => (
              <option key={by} value={by}>
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
      </div>
      <button type="submit">Look up</button>
    </form>
  )
}

function Results({ by, value, mint }: LookupProps) {
  const query = useQuery({
    queryKey: ['subscriptions', by, value, mint],
    queryFn: () => {
      const parameters =
        by === 'walletPublicKey' ? { walletPublicKey: value, tokenMint: mint } : { [by]: value }
      return ask(apiOf().GET('/v1/subscriptions', { params: { query: parameters } }))
    },
  })
  return (
    <section aria-label="Found subscriptions">
      <Loaded query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <p role="status">No subscription was found.</p>
          ) : (
            <>
              <p role="status">
                {data.length} found{data.length === 1_000 ? ', the newest' : ''}.
              </p>
              <SubscriptionTable subscriptions={data} />
            </>
          )
        }
      </Loaded>
    </section>
  )
}

const STATUS_TONES = { active: 'good', paused: 'wait', completed: 'plain' } as const
const DUE_TONES = { none: 'plain', upcoming: 'good', due: 'wait', overdue: 'bad', expired: 'bad' } as const

export const Status = ({ value }: { value: string }) => (
  <Badge tone={value in STATUS_TONES ? STATUS_TONES[value as keyof typeof STATUS_TONES] : 'plain'}>
    {value}
  </Badge>
)

export const DueState = ({ value }: { value: string }) => (
  <Badge tone={value in DUE_TONES ? DUE_TONES[value as keyof typeof DUE_TONES] : 'plain'}>{value}</Badge>
)

function SubscriptionTable({ subscriptions }: { subscriptions: readonly Subscription[] }) {
  return (
    <Table
      title="Subscriptions"
      head={['policy', 'tracking ID', 'type', 'amount', 'state', 'due', 'next due', 'paid', 'payer']}
    >
      {subscriptions.map(subscription => {
        const { type, amount, frequency, nextDue } = termsOf(subscription)
        return (
          <tr key={subscription.policyAddress}>
            <td>
              <Link href={`/subscriptions/${subscription.policyAddress}`}>
                <code>{shorten(subscription.policyAddress)}</code>
              </Link>
            </td>
            <td className="text">{subscription.memo ?? <span className="quiet">none</span>}</td>
            <td>
              {type} {frequency}
            </td>
            <td className="number">
              <Amount raw={amount} mint={subscription.tokenMint} />
            </td>
            <td>
              <Status value={subscription.status} />
            </td>
            <td>
              <DueState value={subscription.dueState} />
            </td>
            <td>{nextDue === null ? <span className="quiet">none</span> : <Time at={nextDue} />}</td>
            <td className="number">{String(subscription.paymentCount)}</td>
            <td>
              <Key value={subscription.walletPublicKey} />
            </td>
          </tr>
        )
      })}
    </Table>
  )
}
