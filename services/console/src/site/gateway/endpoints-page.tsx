import type { Schemas } from '@payment-tracking/client'
import { useState, type FormEvent } from 'react'
import { Link } from 'wouter'
import { ask } from '../api/request.js'
import { useGatewayOrder, useGatewayQuery } from '../session/use-gateway.js'
import { Failure, Loaded, Table } from '../show/states.js'
import { Badge, Time } from '../show/values.js'
import { EventChoice, type ChosenEvents } from './event-choice.js'

export type Endpoint = Schemas['Webhook']

export function EndpointsPage() {
  const query = useGatewayQuery(['endpoints'], ({ api }) =>
    ask(api.GET('/v1/webhooks', { params: { query: {} } })),
  )
  return (
    <>
      <h1>Endpoints</h1>
      <Loaded query={query}>
        {endpoints =>
          endpoints.length === 0 ? (
            <p className="quiet">No endpoint is registered yet.</p>
          ) : (
            <Table title="Endpoints" head={['endpoint', 'state', 'told of', 'since']}>
              {endpoints.map(endpoint => (
                <tr key={String(endpoint.id)}>
                  <td className="text">
                    <Link href={`/endpoints/${String(endpoint.id)}`}>{endpoint.endpointUrl}</Link>
                    {endpoint.description && <div className="quiet">{endpoint.description}</div>}
                  </td>
                  <td>
                    <EndpointState endpoint={endpoint} />
                  </td>
                  <td>{endpoint.eventTypes.join(', ')}</td>
                  <td>
                    <Time at={endpoint.createdAt} />
                  </td>
                </tr>
              ))}
            </Table>
          )
        }
      </Loaded>
      <NewEndpoint />
    </>
  )
}

export function EndpointState({ endpoint }: { endpoint: Endpoint }) {
  if (!endpoint.active)
    return (
      <Badge tone="plain">
        {endpoint.deactivatedReason === null ? 'inactive' : `inactive: ${endpoint.deactivatedReason}`}
      </Badge>
    )
  return endpoint.failingSince === null ? (
    <Badge tone="good">healthy</Badge>
  ) : (
    <Badge tone="bad">failing</Badge>
  )
}

function NewEndpoint() {
  const [url, setUrl] = useState('')
  const [events, setEvents] = useState<ChosenEvents>({
    eventTypes: ['payment.executed'],
    finality: 'confirmed',
  })
  const order = useGatewayOrder(({ api, gateway }) =>
    ask(
      api.POST('/v1/webhooks', {
        body: {
          gateway_pubkey: gateway,
          endpoint_url: url.trim(),
          active: true,
          ...events,
        },
      }),
    ),
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    order.mutate(undefined, { onSuccess: () => setUrl('') })
  }
  return (
    <section aria-labelledby="new">
      <h2 id="new">Add an endpoint</h2>
      <form onSubmit={submit}>
        <label>
          URL
          <input type="url" required value={url} onChange={event => setUrl(event.target.value)} />
        </label>
        <EventChoice chosen={events} onChange={setEvents} />
        <button type="submit" disabled={events.eventTypes.length === 0} aria-busy={order.isPending}>
          Add
        </button>
      </form>
      <Failure error={order.error} />
      <div role="status">
        {order.data && (
          <article>
            <p>
              Registered <Link href={`/endpoints/${String(order.data.id)}`}>{order.data.endpointUrl}</Link>.
            </p>
            {order.data.endpointWarning && <p className="failure">{order.data.endpointWarning}</p>}
            <p>
              Its secret: <code className="secret">{order.data.secret}</code>
            </p>
          </article>
        )}
      </div>
    </section>
  )
}
