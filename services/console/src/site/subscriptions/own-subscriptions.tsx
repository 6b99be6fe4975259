// What the page of subscriptions begins with: the gateway's own, or how to find one.
import { Link } from 'wouter'
import { ask } from '../api/request.js'
import { useChoice } from '../filters/use-filter.js'
import { useGatewayQuery } from '../session/use-gateway.js'
import { useSession } from '../session/session.js'
import { pageLength } from '../show/page-length.js'
import { Empty, Loaded } from '../show/states.js'
import { PaymentsAtRisk } from '../risks/payments-at-risk.js'
import { SubscriptionTable } from './subscription-table.js'

const NEWEST = pageLength(50)

export function FirstSubscriptions() {
  const { session } = useSession()
  const [shown, setShown] = useChoice('show', ['all', 'at_risk'], 'all')
  const isAtRisk = shown === 'at_risk'
  if (session)
    return (
      <>
        <div className="choice actions" role="group" aria-label="Subscriptions that are shown">
          <button type="button" aria-pressed={!isAtRisk} onClick={() => setShown('all')}>
            All
          </button>
          <button type="button" aria-pressed={isAtRisk} onClick={() => setShown('at_risk')}>
            At risk
          </button>
        </div>
        {isAtRisk ? <PaymentsAtRisk title="Payments at risk" limit={NEWEST} /> : <OwnSubscriptions />}
      </>
    )
  return (
    <Empty title="Find a subscription">
      Look one up by its tracking ID or an address, or <Link href="/sign-in">sign in</Link> as a gateway to
      see all of yours.
    </Empty>
  )
}

function OwnSubscriptions() {
  const query = useGatewayQuery(['policies'], ({ api, gateway }) =>
    ask(
      api.GET('/v1/gateway/{gateway}/merchant/policies', {
        params: { path: { gateway }, query: { limit: NEWEST } },
      }),
    ),
  )
  return (
    <section aria-labelledby="own">
      <h2 id="own">My subscriptions</h2>
      <Loaded query={query} lines={16} shape="rows">
        {({ items, total }) =>
          items.length === 0 ? (
            <Empty title="No subscriptions yet">
              <code className="command">npm run demo</code> plays a small market.
            </Empty>
          ) : (
            <>
              <p className="quiet">
                {items.length < Number(total)
                  ? `The newest ${items.length} of ${Number(total).toLocaleString('en-US')}, deleted ones too.`
                  : `All ${items.length}, newest first, deleted ones too.`}
              </p>
              <SubscriptionTable
                title="Subscriptions of this gateway"
                lines={items.map(policy => ({
                  address: policy.policyAddress,
                  trackingId: policy.trackingId,
                  type: policy.paymentFrequency ?? policy.variant,
                  amount: policy.amount,
                  tokenMint: policy.tokenMint,
                  status: policy.status,
                  dueState: null,
                  nextDue: policy.nextPaymentDue === null ? null : Number(policy.nextPaymentDue),
                  paymentCount: policy.paymentCount,
                }))}
              />
            </>
          )
        }
      </Loaded>
    </section>
  )
}
