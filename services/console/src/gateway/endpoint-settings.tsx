import { useState, type FormEvent } from 'react'
import { ask } from '../api/request.js'
import { useGatewayOrder } from '../session/use-gateway.js'
import { Failure } from '../show/states.js'
import type { Endpoint } from './endpoints-page.js'
import { EventTypes, type EventType } from './event-types.js'

const FILTERS = [
  { name: 'recipient', title: 'Recipient' },
  { name: 'tokenMint', title: 'Token mint' },
  { name: 'minAmount', title: 'At least, in the smallest unit' },
  { name: 'trackingIdPrefix', title: 'Tracking ID begins with' },
] as const
type Filters = Record<(typeof FILTERS)[number]['name'], string>

const filtersOf = ({ filters }: Endpoint): Filters => ({
  recipient: filters?.recipient ?? '',
  tokenMint: filters?.tokenMint ?? '',
  minAmount: filters?.minAmount ?? '',
  trackingIdPrefix: filters?.trackingIdPrefix ?? '',
})

/** What the endpoint is told of, and where. */
export function EndpointSettings({ endpoint }: { endpoint: Endpoint }) {
  const [url, setUrl] = useState(endpoint.endpointUrl)
  const [description, setDescription] = useState(endpoint.description ?? '')
  const [types, setTypes] = useState<readonly EventType[]>(endpoint.eventTypes)
  const [isFinal, setFinal] = useState(endpoint.finality === 'finalized')
  const [filters, setFilters] = useState(filtersOf(endpoint))
  const save = useGatewayOrder(({ api }) => {
    const given = Object.entries(filters).filter(([, value]) => value.trim() !== '')
    return ask(
      api.PUT('/v1/webhooks/{id}', {
        params: { path: { id: endpoint.id } },
        body: {
          endpoint_url: url.trim(),
          description: description.trim() || null,
          eventTypes: [...types],
          finality: isFinal ? 'finalized' : 'confirmed',
          filters: given.length === 0 ? null : Object.fromEntries(given),
        },
      }),
    )
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <details>
      <summary>Change what it is told</summary>
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
        <EventTypes chosen={types} onChange={setTypes} />
        <fieldset>
          <legend>Only of payments with</legend>
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
        <label>
          <input type="checkbox" checked={isFinal} onChange={event => setFinal(event.target.checked)} />
          Tell of a payment only once it is finalized
        </label>
        <button type="submit" disabled={types.length === 0} aria-busy={save.isPending}>
          Save
        </button>
      </form>
      <Failure error={save.error} />
      <div role="status">{save.isSuccess && <p>Saved.</p>}</div>
    </details>
  )
}
