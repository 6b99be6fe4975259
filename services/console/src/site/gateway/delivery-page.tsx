import type { Schemas } from '@payment-tracking/client'
import { visibleText } from '@payment-tracking/contracts/visible-text'
import { Link } from 'wouter'
import { ask } from '../api/request.js'
import { Took, toneOf } from '../payments/trace.js'
import { useGatewayOrder, useGatewayQuery } from '../session/use-gateway.js'
import { PageHead } from '../show/page-head.js'
import { Failure, Loaded } from '../show/states.js'
import { Moment } from '../show/time.js'
import { formatJson } from '../show/format-json.js'
import { Badge, ExactTime, Time } from '../show/values.js'
import { repeatRequest } from './repeat-request.js'

type Attempt = Schemas['Attempt']

/** The service keeps no signatures. It tells one while the secret is the one that signed. */
const headerLines = (headers: Attempt['requestHeaders']): string =>
  Object.entries(headers)
    .map(
      ([name, value]) => `${name}: ${value ?? 'not known any more: the secret or the format changed since'}`,
    )
    .join('\n')

/** One delivery: the request, and what the endpoint answered to each attempt. */
export function DeliveryPage({ id, deliveryId }: { id: number; deliveryId: number }) {
  const path = { params: { path: { id, deliveryId } } }
  const query = useGatewayQuery(
    ['endpoints', id, 'deliveries', 'one', deliveryId],
    ({ api }) => ask(api.GET('/v1/webhooks/{id}/deliveries/{deliveryId}', path)),
    3_000,
  )
  const endpoint = useGatewayQuery(['endpoints', id], ({ api }) =>
    ask(api.GET('/v1/webhooks/{id}', { params: { path: { id } } })),
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
                Resend
              </button>
            </div>
            <NextTry delivery={delivery} />
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
                  <details open={attempt === delivery.attemptLog.at(-1)}>
                    <summary>Headers as sent</summary>
                    <pre>{headerLines(attempt.requestHeaders)}</pre>
                  </details>
                  {attempt.responseHeaders && <p className="quiet">Headers of the answer</p>}
                  {attempt.responseHeaders && <pre>{JSON.stringify(attempt.responseHeaders, null, 2)}</pre>}
                  {attempt.responseBody && <p className="quiet">Body of the answer</p>}
                  {attempt.responseBody && (
                    <pre>{visibleText(attempt.responseBody, { keepLines: true })}</pre>
                  )}
                </li>
              ))}
            </ol>
            <h2>Request</h2>
            <p className="quiet">
              <code>content-type: application/json</code>, the headers that the endpoint chose, and the three
              of each attempt. <code>webhook-signature</code> is the HMAC-SHA256 of ID, timestamp and body, by
              the secret of the endpoint.
            </p>
            <h3>Body</h3>
            <pre>{visibleText(formatJson(delivery.body), { keepLines: true })}</pre>
            {endpoint.data && (
              <details>
                <summary>Send it by hand</summary>
                <p className="quiet">
                  With the secret of the endpoint in WEBHOOK_SECRET. It signs anew: a signature counts for
                  five minutes.
                </p>
                <pre>
                  {visibleText(
                    repeatRequest({
                      url: endpoint.data.endpointUrl,
                      messageId: delivery.messageId,
                      body: delivery.body,
                    }),
                    { keepLines: true },
                  )}
                </pre>
              </details>
            )}
          </>
        )}
      </Loaded>
    </>
  )
}

/** When it is sent again by itself. */
function NextTry({
  delivery: { status, nextAttemptAt, lastTryAt },
}: {
  delivery: Pick<Schemas['Delivery'], 'status' | 'nextAttemptAt' | 'lastTryAt'>
}) {
  if (nextAttemptAt === null || lastTryAt === null) return null
  if (status === 'failed')
    return (
      <p>
        Failed; tried again when the endpoint recovers, until <Moment at={lastTryAt} />.
      </p>
    )
  return (
    <p>
      Next try about <Moment at={nextAttemptAt} />; if every try fails, the last by <Moment at={lastTryAt} />.
    </p>
  )
}
