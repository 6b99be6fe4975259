import type { Schemas } from '@payment-tracking/client'
import { useMutation } from '@tanstack/react-query'
import { useId, useState, type FormEvent } from 'react'
import { apiOf, ask } from '../api/request.js'
import { useTokens } from '../api/tokens.js'
import { Amount } from '../show/amount.js'
import { parseAmount } from '../show/format-amount.js'
import { Failure } from '../show/states.js'
import { TermFields } from '../show/term-fields.js'
import { Badge, Memo } from '../show/values.js'

interface Terms {
  trackingId: string
  recipient: string
  tokenMint: string
  amount: string
  finality?: 'finalized'
}

/** Compares what a shop expects with what was paid, as the shop's server would before it ships. */
export function ExpectedForm({ trackingId }: { trackingId: string }) {
  const heading = useId()
  const [expected, setExpected] = useState({ recipient: '', tokenMint: '', amount: '' })
  const [isFinal, setFinal] = useState(false)
  const token = useTokens().get(expected.tokenMint.trim())
  const check = useMutation({
    mutationFn: (query: Terms) => ask(apiOf().GET('/v1/payments/check', { params: { query } })),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // As an argument: a mutation learns what it closes over only after the next paint, and can be sent before.
    check.mutate({
      trackingId,
      recipient: expected.recipient.trim(),
      tokenMint: expected.tokenMint.trim(),
      // The API refuses what is no amount, and says so.
      amount: (token && parseAmount(expected.amount, token.decimals)) ?? expected.amount.trim(),
      ...(isFinal && { finality: 'finalized' }),
    })
  }
  return (
    <section className="panel" aria-labelledby={heading}>
      <h2 id={heading}>Paid as expected?</h2>
      <p className="quiet">
        Anyone can write any memo. Say what the order asked for; every payment of <Memo value={trackingId} />{' '}
        is compared.
      </p>
      <form onSubmit={submit}>
        <div className="columns">
          <TermFields
            fields={[
              { name: 'recipient', title: 'Recipient' },
              { name: 'tokenMint', title: 'Token mint' },
              {
                name: 'amount',
                title: token ? `Minimum amount in ${token.symbol}` : 'Minimum amount, in the smallest unit',
              },
            ]}
            values={expected}
            onChange={(name, value) => setExpected({ ...expected, [name]: value })}
          />
        </div>
        <label className="tick">
          <input type="checkbox" checked={isFinal} onChange={event => setFinal(event.target.checked)} />
          Only a finalized payment counts
        </label>
        <button type="submit" aria-busy={check.isPending}>
          Check
        </button>
      </form>
      <Failure error={check.error} />
      <div role="status">
        {check.data && <Verdict check={check.data} expectedMint={check.variables.tokenMint} />}
      </div>
    </section>
  )
}

function Verdict({ check, expectedMint }: { check: Schemas['PaymentCheck']; expectedMint: string }) {
  const shown = (field: string, value: string | null, mint: string | null) =>
    field === 'amount' ? <Amount raw={value} mint={mint} /> : <code>{value ?? 'unknown'}</code>
  return (
    <>
      <p>
        {check.paid ? <Badge tone="good">paid</Badge> : <Badge tone="bad">not paid</Badge>}{' '}
        {check.payments.length === 1 ? '1 payment is' : `${check.payments.length} payments are`} as expected.
      </p>
      {check.mismatches.length > 0 && (
        <ul>
          {check.mismatches.map(({ field, expected, actual, payment }) => (
            <li key={`${payment.eventId}/${field}`}>
              payment {String(payment.seq)}: {field} is {shown(field, actual, payment.tokenMint)}, not{' '}
              {shown(field, expected, expectedMint)}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
