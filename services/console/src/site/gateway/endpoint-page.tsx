import { useState } from 'react'
import { ask } from '../api/request.js'
import { useGatewayOrder, useGatewayQuery } from '../session/use-gateway.js'
import { IS_DEMO } from '../settings.js'
import { isPhone } from '../show/is-phone.js'
import { PageHead } from '../show/page-head.js'
import { Failure, Loaded } from '../show/states.js'
import { Time, Written } from '../show/values.js'
import { DeliveryLog } from './delivery-log.js'
import { EndpointAnswers } from './endpoint-answers.js'
import { EndpointSettings } from './endpoint-settings.js'
import { EndpointSecret } from './endpoint-secret.js'
import { EndpointHealth } from './endpoint-health.js'
import { failureOf, type Endpoint } from './endpoint-words.js'
import { EndpointWaits } from './endpoint-waits.js'
import { ReplayMissing } from './replay-missing.js'

const REFRESH_MS = 5_000

export function EndpointPage({ id }: { id: number }) {
  const query = useGatewayQuery(
    ['endpoints', id],
    ({ api }) => ask(api.GET('/v1/webhooks/{id}', { params: { path: { id } } })),
    REFRESH_MS,
  )
  // As it was opened: a phone that is turned must not lose what is typed into the settings.
  const [isOnPhone] = useState(isPhone)
  return (
    <>
      <PageHead
        title={query.data?.endpointUrl ?? `Endpoint ${id}`}
        back={{ href: '/endpoints', title: 'All endpoints' }}
      />
      <Loaded query={query}>
        {endpoint => (
          <article className="panel">
            <h2>Endpoint {id}</h2>
            {!isOnPhone && <About endpoint={endpoint} />}
            <EndpointHealth endpoint={endpoint} />
            {endpoint.failingSince && (
              <p className="quiet">
                A try failed <Time at={endpoint.failingSince} /> and none was accepted since; after five days
                of this, the endpoint is deactivated.
              </p>
            )}
            <EndpointWaits of={endpoint} />
            {!isOnPhone && <Orders endpoint={endpoint} />}
          </article>
        )}
      </Loaded>
      {/* All at once: what stood below the state of the endpoint would move when that is read. */}
      {query.data && (
        <>
          {!isOnPhone && <EndpointAnswers endpoint={query.data} />}
          <DeliveryLog id={id} failure={failureOf(query.data)} />
          {/* On a phone the deliveries come first: they stood three screens down. */}
          {isOnPhone && (
            <>
              <article className="panel">
                <About endpoint={query.data} />
                <Orders endpoint={query.data} />
              </article>
              <EndpointAnswers endpoint={query.data} />
            </>
          )}
          <EndpointSecret id={id} />
          <ReplayMissing endpoint={query.data} />
        </>
      )}
    </>
  )
}

/** What it is sent, and how. */
function About({ endpoint }: { endpoint: Endpoint }) {
  return (
    <>
      {endpoint.description && (
        <p>
          <Written value={endpoint.description} />
        </p>
      )}
      <p className="quiet">
        Subscribed to {endpoint.eventTypes.join(', ')}, once {endpoint.finality}; added{' '}
        <Time at={endpoint.createdAt} />.{endpoint.ordered && ' Delivers one at a time, in order.'}
        {endpoint.recover && ' Resends what failed once it recovers.'}
        {endpoint.ratePerSecond !== null && ` At most ${endpoint.ratePerSecond} requests per second.`}
        {endpoint.headerNames.length > 0 && ` With ${endpoint.headerNames.join(', ')}.`}
      </p>
    </>
  )
}

/** What can be done with it. */
function Orders({ endpoint }: { endpoint: Endpoint }) {
  const id = Number(endpoint.id)
  const activate = useGatewayOrder(({ api }, active: boolean) =>
    ask(api.PUT('/v1/webhooks/{id}', { params: { path: { id } }, body: { active } })),
  )
  const test = useGatewayOrder(({ api }) =>
    ask(api.POST('/v1/webhooks/{id}/test', { params: { path: { id } } })),
  )
  return (
    <>
      {endpoint.endpointWarning && (
        <p className={IS_DEMO ? 'quiet' : 'failure'}>{endpoint.endpointWarning}</p>
      )}
      <div className="row">
        <button type="button" disabled={!endpoint.active} onClick={() => test.mutate()}>
          Send a test event
        </button>
        <button type="button" className="outline" onClick={() => activate.mutate(!endpoint.active)}>
          {endpoint.active ? 'Deactivate' : 'Activate'}
        </button>
      </div>
      <div role="status">
        {test.data && (
          <p>Test event {String(test.data.id)} is queued; its response shows among the deliveries.</p>
        )}
      </div>
      <Failure error={test.error ?? activate.error} />
      <EndpointSettings endpoint={endpoint} />
    </>
  )
}
