import { useState, type FormEvent } from 'react'
import { ask } from '../api/request.js'
import { useGatewayOrder } from '../session/use-gateway.js'
import { Failure } from '../show/states.js'
import { EndpointHeaders, headersOf, type HeaderRow } from './endpoint-headers.js'
import type { Endpoint } from './endpoint-words.js'
import { EventChoice, eventsOf } from './event-choice.js'

const FILTERS = [
  { name: 'recipient', title: 'Recipient' },
  { name: 'tokenMint', title: 'Token mint' },
  { name: 'minAmount', title: 'Minimum amount, in the smallest unit' },
  { name: 'trackingIdPrefix', title: 'Tracking ID starts with' },
] as const
type Filters = Record<(typeof FILTERS)[number]['name'], string>

const filtersOf = ({ filters }: Endpoint): Filters => ({
  recipient: filters?.recipient ?? '',
  tokenMint: filters?.tokenMint ?? '',
  minAmount: filters?.minAmount ?? '',
  trackingIdPrefix: filters?.trackingIdPrefix ?? '',
})

/** What the endpoint is notified of, where and how. */
export function EndpointSettings({ endpoint }: { endpoint: Endpoint }) {
  const [url, setUrl] = useState(endpoint.endpointUrl)
  const [description, setDescription] = useState(endpoint.description ?? '')
  const [events, setEvents] = useState(eventsOf(endpoint))
  const [filters, setFilters] = useState(filtersOf(endpoint))
  const [headers, setHeaders] = useState<readonly HeaderRow[] | null>(null)
  const [isOrdered, setOrdered] = useState(endpoint.ordered)
  const [within, setWithin] = useState(String(endpoint.orderedWithinSeconds))
  const [recovers, setRecovers] = useState(endpoint.recover)
  const [rate, setRate] = useState(endpoint.ratePerSecond === null ? '' : String(endpoint.ratePerSecond))
  const save = useGatewayOrder(({ api }) => {
    const given = Object.entries(filters).filter(([, value]) => value.trim() !== '')
    const newHeaders = headersOf(headers)
    return ask(
      api.PUT('/v1/webhooks/{id}', {
        params: { path: { id: endpoint.id } },
        body: {
          endpoint_url: url.trim(),
          description: description.trim() || null,
          ...events,
          filters: given.length === 0 ? null : Object.fromEntries(given),
          ...(newHeaders === undefined ? {} : { headers: newHeaders }),
          ordered: isOrdered,
          orderedWithinSeconds: Number(within),
          recover: recovers,
          ratePerSecond: rate === '' ? null : Number(rate),
        },
      }),
    )
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate(undefined, { onSuccess: () => setHeaders(null) })
  }
  return (
    <details>
      <summary>Edit settings</summary>
      <form onSubmit={submit}>
        <div className="columns">
          <label>
            URL
            <input type="url" required value={url} onChange={event => setUrl(event.target.value)} />
          </label>
          <label>
            Description
            <input
              maxLength={200}
              value={description}
              onChange={event => setDescription(event.target.value)}
            />
          </label>
        </div>
        <EventChoice chosen={events} onChange={setEvents} />
        <fieldset>
          <legend>Send only payments that match</legend>
          <div className="columns">
            {FILTERS.map(({ name, title }) => (
              <label key={name}>
                {title}
                <input
                  value={filters[name]}
                  autoComplete="off"
                  spellCheck={false}
                  onChange={event => setFilters({ ...filters, [name]: event.target.value })}
                />
              </label>
            ))}
          </div>
        </fieldset>
        <fieldset>
          <legend>Ordering, rate limit and recovery</legend>
          <label className="tick">
            <input type="checkbox" checked={isOrdered} onChange={event => setOrdered(event.target.checked)} />
            Deliver one at a time, in order
          </label>
          {isOrdered && (
            <label>
              Seconds to wait for a delivery before sending the next
              <input
                type="number"
                required
                min={60}
                max={86_400}
                value={within}
                onChange={event => setWithin(event.target.value)}
              />
            </label>
          )}
          <label>
            Rate limit, in requests per second (empty: no limit)
            <input
              type="number"
              min={1}
              max={1_000}
              value={rate}
              onChange={event => setRate(event.target.value)}
            />
          </label>
          <label className="tick">
            <input type="checkbox" checked={recovers} onChange={event => setRecovers(event.target.checked)} />
            When the endpoint recovers, resend what failed in the last 72 hours
          </label>
        </fieldset>
        <EndpointHeaders names={endpoint.headerNames} rows={headers} onChange={setHeaders} />
        <button type="submit" disabled={events.eventTypes.length === 0} aria-busy={save.isPending}>
          Save
        </button>
      </form>
      <Failure error={save.error} />
      <div role="status">{save.isSuccess && <p>Saved.</p>}</div>
    </details>
  )
}
