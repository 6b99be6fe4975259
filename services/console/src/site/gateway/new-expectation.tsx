import { useQuery } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { Link } from 'wouter'
import { apiOf, ask } from '../api/request.js'
import { useTokens } from '../api/tokens.js'
import { useGatewayOrder } from '../session/use-gateway.js'
import { useSession } from '../session/session.js'
import { Failure } from '../show/states.js'
import { Memo } from '../show/values.js'
import { faultsOf, OTHER_TOKEN, toExpectation, type Draft } from './expectation-draft.js'

const TEXTS = [
  { name: 'trackingId', title: 'Tracking ID (the payer’s memo)' },
  { name: 'recipient', title: 'Recipient' },
] as const

/** Whom the newest payment of the gateway paid: most gateways pay one recipient. */
function useUsualRecipient(): string | null {
  const { session } = useSession()
  const gateway = session?.gateway ?? ''
  const { data } = useQuery({
    queryKey: ['gateway', gateway, 'usual recipient'],
    queryFn: async () => {
      const query = { gateway, limit: 1 }
      const [newest] = await ask(apiOf().GET('/v1/events/payments', { params: { query } }))
      return newest?.recipient ?? null
    },
    staleTime: Infinity,
  })
  return data ?? null
}

export function NewExpectation() {
  const tokens = useTokens()
  const usual = useUsualRecipient()
  const [firstMint = OTHER_TOKEN] = tokens.keys()
  const [given, setGiven] = useState<Partial<Draft>>({})
  const [isAsked, setAsked] = useState(false)
  const draft: Draft = {
    trackingId: '',
    recipient: usual ?? '',
    token: firstMint,
    otherMint: '',
    amount: '',
    until: '',
    reference: '',
    ...given,
  }
  const token = tokens.get(draft.token)
  const faults = isAsked ? faultsOf(draft, tokens, Date.now()) : {}
  const set = (name: keyof Draft) => (value: string) => setGiven(known => ({ ...known, [name]: value }))
  const create = useGatewayOrder(({ api, gateway }, wanted: Draft) =>
    ask(
      api.POST('/v1/gateway/{gateway}/expectations', {
        params: { path: { gateway } },
        body: toExpectation(wanted, tokens),
      }),
    ),
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setAsked(true)
    if (Object.keys(faultsOf(draft, tokens, Date.now())).length > 0) return
    create.mutate(draft, { onSuccess: () => setAsked(false) })
  }
  const field = (name: keyof Draft, title: string, type = 'text', placeholder?: string) => (
    <div key={name}>
      <label>
        {title}
        <input
          type={type}
          value={draft[name]}
          placeholder={placeholder}
          autoComplete="off"
          spellCheck={false}
          aria-invalid={faults[name] !== undefined || undefined}
          aria-describedby={faults[name] === undefined ? undefined : `fault-${name}`}
          onChange={event => set(name)(event.target.value)}
        />
      </label>
      {faults[name] !== undefined && <small id={`fault-${name}`}>{faults[name]}</small>}
    </div>
  )
  return (
    <section className="panel" aria-labelledby="new">
      <h2 id="new">New expected payment</h2>
      <form noValidate onSubmit={submit}>
        <div className="columns">
          {TEXTS.map(({ name, title }) => field(name, title))}
          <label>
            Token
            <select value={draft.token} onChange={event => set('token')(event.target.value)}>
              {[...tokens].map(([mint, { symbol }]) => (
                <option key={mint} value={mint}>
                  {symbol}
                </option>
              ))}
              <option value={OTHER_TOKEN}>Another token</option>
            </select>
          </label>
          {draft.token === OTHER_TOKEN && field('otherMint', 'Token mint')}
          {field(
            'amount',
            token ? `Amount in ${token.symbol}` : 'Amount, in the smallest unit',
            'text',
            token ? '4.50' : '4500000',
          )}
          {field('until', 'Expires', 'datetime-local')}
          {field('reference', 'Your reference')}
        </div>
        <button type="submit" aria-busy={create.isPending}>
          Create
        </button>
      </form>
      <Failure error={create.error} />
      <div role="status">
        {Object.keys(faults).length > 0 && <p className="failure">Correct what is marked.</p>}
        {create.data && (
          <p>
            Created:{' '}
            <Link href={`/expected/${create.data.id}`}>
              <Memo value={create.data.trackingId} />
            </Link>{' '}
            is {create.data.state}.
          </p>
        )}
      </div>
    </section>
  )
}
