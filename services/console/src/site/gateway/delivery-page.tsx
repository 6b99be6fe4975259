import { visibleText } from '@payment-tracking/contracts/visible-text'
import { Link } from 'wouter'
import { ask } from '../api/request.js'
import { Took, toneOf } from '../payments/trace.js'
import { useGatewayOrder, useGatewayQuery } from '../session/use-gateway.js'
import { PageHead } from '../show/page-head.js'
import { Failure, Loaded } from '../show/states.js'
import { Moment } from '../show/time.js'
import { Badge, ExactTime, Time } from '../show/values.js'

/** One delivery: the request, and what the endpoint answered to each attempt. */
export function DeliveryPage({ id, deliveryId }: { id: number; deliveryId: number }) {
  const path = { params: { path: { id, deliveryId } } }
  const query = useGatewayQuery(
    ['endpoints', id, 'deliveries', 'one', deliveryId],
    ({ api }) => ask(api.GET('/v1/webhooks/{id}/deliveries/{deliveryId}', path)),
    3_000,
  )
  const replay = useGatewayOrder(({ api }) =>
    ask(api.POST('/v1/webhooks/{id}/deliveries/{deliveryId}/redeliver', path)),
  )
  return (
    <>
      <PageHead
        title={`Delivery ${deliveryId}`}
        back={{ href: `/endpoints/${id}`, title: `Endpoint ${id}` }}
      />
      <Loaded query={query}>
        {delivery => (
          <>
            <div className="row">
              <Badge tone={toneOf(delivery.status)}>{delivery.status}</Badge>
              <span>{delivery.type}</span>
              <span className="quiet">
                created <ExactTime at={delivery.createdAt} />
              </span>
              <button type="button" onClick={() => replay.mutate()} aria-busy={replay.isPending}>
                Replay
              </button>
            </div>
            {delivery.nextAttemptAt && delivery.lastTryAt && (
              <p>
                Next try <Moment at={delivery.nextAttemptAt} />, last <Moment at={delivery.lastTryAt} />.
              </p>
            )}
            <Failure error={replay.error} />
            {delivery.signature && (
              <p>
                <Link href={`/payments/${delivery.signature}`}>The payment it is about</Link>
              </p>
            )}
            <h2>Attempts</h2>
            {delivery.attemptLog.length === 0 && <p className="quiet">None yet.</p>}
            <ol className="timeline">
              {delivery.attemptLog.map(attempt => (
                <li key={String(attempt.number)} className={attempt.outcome === 'accepted' ? 'done' : 'open'}>
                  <strong>
                    {attempt.statusCode === null
                      ? (attempt.error ?? 'on its way')
                      : `HTTP ${String(attempt.statusCode)}`}
                  </strong>{' '}
                  <Time at={attempt.startedAt} />{' '}
                  {attempt.finishedAt && (
                    <Took ms={Date.parse(attempt.finishedAt) - Date.parse(attempt.startedAt)} />
                  )}
                  {attempt.responseHeaders && <pre>{JSON.stringify(attempt.responseHeaders, null, 2)}</pre>}
                  {attempt.responseBody && (
                    <pre>{visibleText(attempt.responseBody, { keepLines: true })}</pre>
                  )}
                </li>
              ))}
            </ol>
            <h2>Request</h2>
            <p>
              webhook-id <code>{delivery.messageId}</code>
            </p>
            <pre>{visibleText(delivery.body, { keepLines: true })}</pre>
          </>
        )}
      </Loaded>
    </>
  )
}
