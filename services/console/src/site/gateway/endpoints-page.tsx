import { useState, type FormEvent } from 'react'
import { Link } from 'wouter'
import { ask } from '../api/request.js'
import { useGatewayOrder, useGatewayQuery } from '../session/use-gateway.js'
import { IS_DEMO } from '../settings.js'
import { PageHead } from '../show/page-head.js'
import { Empty, Failure, Loaded } from '../show/states.js'
import { Table, type Column } from '../show/table.js'
import { Written } from '../show/values.js'
import { FormatChoice, type Format } from './format-choice.js'
import { EventChoice, type ChosenEvents } from './event-choice.js'
import { EndpointState, LastAccepted, LastAnswer } from './endpoint-state.js'
import { acceptedWords, type Endpoint } from './endpoint-words.js'

const REFRESH_MS = 15_000

export function EndpointsPage() {
  const [isNew, setNew] = useState(false)
  const query = useGatewayQuery(
    ['endpoints'],
    ({ api }) => ask(api.GET('/v1/webhooks', { params: { query: {} } })),
    REFRESH_MS,
  )
  return (
    <>
      <PageHead
        title="Endpoints"
        lead="We send each endpoint a signed request for every event it subscribes to, and retry when that fails."
      >
        <button type="button" aria-expanded={isNew} onClick={() => setNew(!isNew)}>
          Add endpoint
        </button>
      </PageHead>
      {isNew && <NewEndpoint />}
      <Loaded query={query}>
        {endpoints =>
          endpoints.length === 0 ? (
            <Empty title="No endpoints yet">
              Add one above. On this machine, <code className="command">npm run listen</code> receives and
              shows events.
            </Empty>
          ) : (
            <Table title="Endpoints" rows={endpoints} columns={COLUMNS} keyOf={({ id }) => String(id)} />
          )
        }
      </Loaded>
    </>
  )
}

const COLUMNS: readonly Column<Endpoint>[] = [
  {
    head: 'endpoint',
    kind: 'text',
    phone: 'lead',
    cell: ({ id, endpointUrl, description }) => (
      <div>
        <Link className="row-link" href={`/endpoints/${String(id)}`}>
          {endpointUrl}
        </Link>
        {description && (
          <div className="quiet small">
            <Written value={description} />
          </div>
        )}
      </div>
    ),
  },
  { head: 'state', phone: 'side', cell: endpoint => <EndpointState endpoint={endpoint} /> },
  {
    head: 'accepted in 24 hours',
    kind: 'number',
    cell: ({ acceptedRequests, requests }) => acceptedWords(Number(acceptedRequests), Number(requests)),
  },
  { head: 'last accepted', cell: endpoint => <LastAccepted endpoint={endpoint} /> },
  { head: 'last answer', cell: endpoint => <LastAnswer endpoint={endpoint} /> },
  { head: 'subscribed to', kind: 'text', tablet: 'away', cell: ({ eventTypes }) => nameTypes(eventTypes) },
]

/** The endpoint's own page names all of them. */
const nameTypes = ([first, second, ...more]: readonly string[]): string =>
  more.length === 0
    ? [first, second].filter(Boolean).join(', ')
    : `${first}, ${second} and ${more.length} more`

type Chosen = ChosenEvents & { endpoint_url: string; format: Format; recover: boolean }

function NewEndpoint() {
  const [url, setUrl] = useState('')
  const [events, setEvents] = useState<ChosenEvents>({
    eventTypes: ['payment.executed'],
    finality: 'confirmed',
  })
  const [format, setFormat] = useState<Format>('standard')
  const [recovers, setRecovers] = useState(true)
  const order = useGatewayOrder(({ api, gateway }, chosen: Chosen) =>
    ask(api.POST('/v1/webhooks', { body: { gateway_pubkey: gateway, active: true, ...chosen } })),
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const chosen = { endpoint_url: url.trim(), format, recover: recovers, ...events }
    order.mutate(chosen, { onSuccess: () => setUrl('') })
  }
  return (
    <section className="panel" aria-labelledby="new">
      <h2 id="new">Add an endpoint</h2>
      <form onSubmit={submit}>
        <label>
          URL
          <input type="url" required value={url} onChange={event => setUrl(event.target.value)} />
        </label>
        <EventChoice chosen={events} onChange={setEvents} />
        <FormatChoice chosen={format} onChange={setFormat} />
        <label className="tick">
          <input type="checkbox" checked={recovers} onChange={event => setRecovers(event.target.checked)} />
          When the endpoint recovers, resend what failed in the last 72 hours
        </label>
        <button type="submit" disabled={events.eventTypes.length === 0} aria-busy={order.isPending}>
          Add
        </button>
      </form>
      <Failure error={order.error} />
      <div role="status">
        {order.data && (
          <div className="tight">
            <p>
              Endpoint added:{' '}
              <Link href={`/endpoints/${String(order.data.id)}`}>{order.data.endpointUrl}</Link>.
            </p>
            {order.data.warning && <p className="failure">{order.data.warning}</p>}
            {order.data.endpointWarning && (
              <p className={IS_DEMO ? 'quiet' : 'failure'}>{order.data.endpointWarning}</p>
            )}
            <p>
              Signing secret: <code className="secret">{order.data.secret}</code>
            </p>
          </div>
        )}
      </div>
    </section>
  )
}
