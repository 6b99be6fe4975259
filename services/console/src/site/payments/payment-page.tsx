import { useQuery } from '@tanstack/react-query'
import { apiOf, ask } from '../api/request.js'
import { Wallet } from '../customers/wallet.js'
import { PageHead } from '../show/page-head.js'
import { Loaded } from '../show/states.js'
import { Amount, Badge, ExactTime, Finality, Key, Memo } from '../show/values.js'
import { GatewayKey } from '../session/gateway-key.js'
import { useSession } from '../session/session.js'
import { ExpectedForm } from './expected-form.js'
import { Trace } from './trace.js'

/** Everything known of the payments of one transaction. */
export function PaymentPage({ signature }: { signature: string }) {
  const { session } = useSession()
  const query = useQuery({
    queryKey: ['payments', 'trace', signature, session?.gateway ?? null],
    refetchInterval: 5_000,
    queryFn: async () => {
      const [events, traces] = await Promise.all([
        ask(apiOf().GET('/v1/events', { params: { query: { signature, retracted: true } } })),
        ask(
          apiOf().GET('/v1/payments/{signature}/trace', {
            params: { path: { signature } },
          }),
        ),
      ])
      return traces.map(trace => ({ trace, event: events.find(({ id }) => id === trace.eventId) }))
    },
  })
  return (
    <>
      <PageHead
        title="Payment"
        back={{ href: '/payments', title: 'All payments' }}
        lead={
          <>
            Transaction <Key value={signature} kind="tx" />
          </>
        }
      />
      <Loaded query={query} lines={8}>
        {payments =>
          payments.map(({ trace, event }) => (
            <article key={trace.eventId} className="stack">
              <div className="two">
                <div className="panel">
                  <div className="row">
                    <h2>
                      <Memo value={trace.trackingId} />
                    </h2>
                    {event?.retracted ? (
                      <Badge tone="bad">retracted</Badge>
                    ) : (
                      <Finality value={event?.finality} />
                    )}
                  </div>
                  <p className="large-amount">
                    <Amount raw={trace.amount} mint={event?.tokenMint ?? null} />
                  </p>
                  <dl>
                    <dt>smallest unit</dt>
                    <dd>{String(trace.amount)}</dd>
                    <dt>token mint</dt>
                    <dd>
                      <Key value={event?.tokenMint} />
                    </dd>
                    <dt>recipient</dt>
                    <dd>
                      <Key value={event?.recipient} />
                    </dd>
                    <dt>payer</dt>
                    <dd>
                      <Wallet value={event?.payer} gateway={trace.gateway} />
                    </dd>
                    <dt>gateway</dt>
                    <dd>
                      <GatewayKey value={trace.gateway} />
                    </dd>
                    <dt>paid</dt>
                    <dd>
                      <ExactTime at={trace.chain.timestamp} />
                    </dd>
                  </dl>
                </div>
                <Trace trace={trace} event={event} />
              </div>
              {trace.trackingId !== null && <ExpectedForm trackingId={trace.trackingId} />}
            </article>
          ))
        }
      </Loaded>
    </>
  )
}
