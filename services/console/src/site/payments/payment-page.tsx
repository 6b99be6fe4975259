import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { apiOf, ask } from '../api/request.js'
import { Loaded } from '../show/states.js'
import { Amount, Badge, Finality, Key, Time } from '../show/values.js'
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
          apiOf(session?.token).GET('/v1/payments/{signature}/trace', {
            params: { path: { signature } },
          }),
        ),
      ])
      return traces.map(trace => ({ trace, event: events.find(({ id }) => id === trace.eventId) }))
    },
  })
  return (
    <>
      <p>
        <Link href="/payments">All payments</Link>
      </p>
      <h1>Payment</h1>
      <p>
        Transaction <Key value={signature} />
      </p>
      <Loaded query={query}>
        {payments =>
          payments.map(({ trace, event }) => (
            <article key={trace.eventId}>
              <div className="row">
                <h2>{trace.trackingId ?? 'without a tracking ID'}</h2>
                {event?.retracted ? (
                  <Badge tone="bad">retracted</Badge>
                ) : (
                  <Finality value={event?.finality} />
                )}
              </div>
              <dl>
                <dt>amount</dt>
                <dd>
                  <Amount raw={trace.amount} mint={event?.tokenMint ?? null} />
                </dd>
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
                  <Key value={event?.payer} />
                </dd>
                <dt>gateway</dt>
                <dd>
                  <Key value={trace.gateway} />
                </dd>
                <dt>paid</dt>
                <dd>
                  <Time at={trace.chain.timestamp} />
                </dd>
              </dl>
              <Trace trace={trace} event={event} />
              {trace.trackingId !== null && <ExpectedForm trackingId={trace.trackingId} />}
            </article>
          ))
        }
      </Loaded>
    </>
  )
}
