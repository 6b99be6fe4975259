import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { apiOf, ask, RequestError } from '../api/request.js'
import { PaymentTable } from '../payments/payment-table.js'
import { Loaded } from '../show/states.js'
import { Amount, Key, Time } from '../show/values.js'
import { CalendarStrip } from './calendar-strip.js'
import { termsOf } from './policy-terms.js'
import { DueState, Status } from './subscriptions-page.js'

/** A policy is of one of two families, and the address does not tell which. */
async function readPolicy(address: string) {
  const params = { params: { path: { address } } }
  try {
    return (await ask(apiOf().GET('/v1/payment-policies/{address}', params))).data
  } catch (error) {
    if (!(error instanceof RequestError) || error.status !== 404) throw error
    return (await ask(apiOf().GET('/v1/composable-policies/{address}', params))).data
  }
}

export function SubscriptionPage({ address }: { address: string }) {
  const policy = useQuery({ queryKey: ['policy', address], queryFn: () => readPolicy(address) })
  const history = useQuery({
    queryKey: ['policy', address, 'history'],
    queryFn: () =>
      ask(apiOf().GET('/v1/events', { params: { query: { paymentPolicy: address, limit: 200 } } })),
  })
  return (
    <>
      <p>
        <Link href="/subscriptions">Find subscriptions</Link>
      </p>
      <h1>Subscription</h1>
      <p>
        Policy <Key value={address} />
      </p>
      <Loaded query={policy}>
        {subscription => {
          const { type, amount, frequency, fields } = termsOf(subscription)
          return (
            <>
              <article>
                <div className="row">
                  <h2>{subscription.memo ?? 'without a tracking ID'}</h2>
                  <Status value={subscription.status} /> <DueState value={subscription.dueState} />
                </div>
                <dl>
                  <dt>amount</dt>
                  <dd>
                    <Amount raw={amount} mint={subscription.tokenMint} /> {frequency}
                  </dd>
                  <dt>paid</dt>
                  <dd>
                    <Amount raw={subscription.totalPaid} mint={subscription.tokenMint} /> in{' '}
                    {String(subscription.paymentCount)} payments
                  </dd>
                  <dt>recipient</dt>
                  <dd>
                    <Key value={subscription.recipient} />
                  </dd>
                  <dt>payer</dt>
                  <dd>
                    <Key value={subscription.walletPublicKey} />
                  </dd>
                  <dt>gateway</dt>
                  <dd>
                    <Key value={subscription.gateway} />
                  </dd>
                  <dt>since</dt>
                  <dd>
                    <Time at={subscription.createdAt} />
                  </dd>
                </dl>
                <details>
                  <summary>Terms of this {type}</summary>
                  <dl>
                    {fields.map(([name, value]) => (
                      <div key={name} className="field">
                        <dt>{name}</dt>
                        <dd>{value}</dd>
                      </div>
                    ))}
                  </dl>
                </details>
              </article>
              <section aria-labelledby="due">
                <h2 id="due">Due next</h2>
                <CalendarStrip subscription={subscription} />
              </section>
            </>
          )
        }}
      </Loaded>
      <section aria-labelledby="history">
        <h2 id="history">History</h2>
        <Loaded query={history}>
          {events => (
            <>
              <PaymentTable
                title="Payments of the subscription"
                payments={events.filter(({ amountString }) => amountString !== undefined)}
                empty="Nobody has paid yet."
              />
              <h3>Changes</h3>
              <ul>
                {events
                  .filter(({ amountString }) => amountString === undefined)
                  .map(({ id, eventName, timestamp }) => (
                    <li key={id}>
                      {eventName} <Time at={timestamp} />
                    </li>
                  ))}
              </ul>
            </>
          )}
        </Loaded>
      </section>
    </>
  )
}
