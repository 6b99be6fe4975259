import { useQuery } from '@tanstack/react-query'
import { apiOf, ask, RequestError } from '../api/request.js'
import { Wallet } from '../customers/wallet.js'
import { payments } from '../gateway/due.js'
import { PaymentTable } from '../payments/payment-table.js'
import type { Payment } from '../payments/use-live-payments.js'
import { PageHead } from '../show/page-head.js'
import { Empty, Loaded } from '../show/states.js'
import { Amount, ExactTime, Key, Memo } from '../show/values.js'
import { GatewayKey } from '../session/gateway-key.js'
import { RiskNote } from '../risks/risk-note.js'
import { CalendarStrip } from './calendar-strip.js'
import { PolicyChanges } from './policy-changes.js'
import { termsOf } from './policy-terms.js'
import { DueState, Status } from './policy-state.js'

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
      <PageHead
        title="Subscription"
        back={{ href: '/subscriptions', title: 'Find subscriptions' }}
        lead={
          <>
            Policy <Key value={address} />
          </>
        }
      />
      {/* As tall as a phone: the history below would jump. */}
      <Loaded query={policy} lines={24}>
        {subscription => {
          const { type, amount, frequency, fields, nextDue } = termsOf(subscription)
          return (
            <div className="stack">
              <article className="panel">
                <div className="row">
                  <h2>
                    <Memo value={subscription.memo || null} />
                  </h2>
                  <Status value={subscription.status} /> <DueState value={subscription.dueState} />
                </div>
                <p className="large-amount">
                  <Amount raw={amount} mint={subscription.tokenMint} />{' '}
                  <span className="quiet small">{frequency}</span>
                </p>
                <dl>
                  <dt>paid</dt>
                  <dd>
                    <Amount raw={subscription.totalPaid} mint={subscription.tokenMint} /> in{' '}
                    {payments(Number(subscription.paymentCount))}
                  </dd>
                  <dt>recipient</dt>
                  <dd>
                    <Key value={subscription.recipient} />
                  </dd>
                  <dt>payer</dt>
                  <dd>
                    <Wallet value={subscription.walletPublicKey} gateway={subscription.gateway} />
                  </dd>
                  <dt>gateway</dt>
                  <dd>
                    <GatewayKey value={subscription.gateway} />
                  </dd>
                  <dt>created</dt>
                  <dd>
                    <ExactTime at={subscription.createdAt} />
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
              <section className="panel" aria-labelledby="due">
                <h2 id="due">Due next</h2>
                <RiskNote
                  risk={subscription.dueRisk}
                  wallet={subscription.walletPublicKey}
                  recipient={subscription.recipient}
                  amount={amount}
                  mint={subscription.tokenMint}
                  dueAt={nextDue ?? Number(subscription.createdAt)}
                />
                <CalendarStrip subscription={subscription} />
              </section>
            </div>
          )
        }}
      </Loaded>
      <section aria-labelledby="history">
        <h2 id="history">History</h2>
        <Loaded query={history}>{events => <History events={events} />}</Loaded>
      </section>
    </>
  )
}

function History({ events }: { events: readonly Payment[] }) {
  const paid = events.filter(({ amountString }) => amountString !== undefined)
  const changes = events.filter(({ amountString }) => amountString === undefined)
  return (
    <>
      <h3>Changes</h3>
      <PolicyChanges changes={changes} />
      <h3>Payments</h3>
      {paid.length === 0 ? (
        <Empty title="No payments yet">The first payment shows here as soon as it is stored.</Empty>
      ) : (
        <PaymentTable title="Payments of the subscription" payments={paid} />
      )}
    </>
  )
}
