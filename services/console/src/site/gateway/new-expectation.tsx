import { useState, type FormEvent } from 'react'
import { Link } from 'wouter'
import { ask } from '../api/request.js'
import { useGatewayOrder } from '../session/use-gateway.js'
import { Failure } from '../show/states.js'
import { TermFields } from '../show/term-fields.js'
import { Memo } from '../show/values.js'

const FIELDS = [
  { name: 'trackingId', title: 'Tracking ID (the payer’s memo)' },
  { name: 'recipient', title: 'Recipient' },
  { name: 'tokenMint', title: 'Token mint' },
  { name: 'amount', title: 'Amount, in the smallest unit' },
] as const

const NOTHING = { trackingId: '', recipient: '', tokenMint: '', amount: '' }

export function NewExpectation() {
  const [terms, setTerms] = useState(NOTHING)
  const [until, setUntil] = useState('')
  const [reference, setReference] = useState('')
  const create = useGatewayOrder(({ api, gateway }) =>
    ask(
      api.POST('/v1/gateway/{gateway}/expectations', {
        params: { path: { gateway } },
        body: {
          trackingId: terms.trackingId,
          recipient: terms.recipient.trim(),
          tokenMint: terms.tokenMint.trim(),
          amount: terms.amount.trim(),
          ...(until === '' ? {} : { expiresAt: new Date(until).toISOString() }),
          ...(reference === '' ? {} : { reference }),
        },
      }),
    ),
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  return (
    <section className="panel" aria-labelledby="new">
      <h2 id="new">New expected payment</h2>
      <form onSubmit={submit}>
        <div className="columns">
          <TermFields
            fields={FIELDS}
            values={terms}
            onChange={(name, value) => setTerms({ ...terms, [name]: value })}
          />
          <label>
            Expires
            <input type="datetime-local" value={until} onChange={event => setUntil(event.target.value)} />
          </label>
          <label>
            Your reference
            <input value={reference} maxLength={64} onChange={event => setReference(event.target.value)} />
          </label>
        </div>
        <button type="submit" aria-busy={create.isPending}>
          Create
        </button>
      </form>
      <Failure error={create.error} />
      <div role="status">
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
