import type { Schemas } from '@payment-tracking/client'
import { useState, type FormEvent } from 'react'
import { ask } from '../api/request.js'
import { useGatewayOrder, useGatewayQuery } from '../session/use-gateway.js'
import { Failure } from '../show/states.js'
import { Moment } from '../show/time.js'
import type { Endpoint } from './endpoint-words.js'

const REFRESH_MS = 3_000
const DAY_MS = 86_400_000
/** As far back as the service goes. */
const MOST_DAYS = 30

/** The value of an input of type `datetime-local`, at the clock of the reader's place. */
const localInput = (ms: number): string =>
  new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16)

/** Sends the endpoint what it missed while it was off, did not exist or had other filters. */
export function ReplayMissing({ endpoint }: { endpoint: Endpoint }) {
  const id = Number(endpoint.id)
  const path = { params: { path: { id } } }
  const [since, setSince] = useState(() => localInput(Date.now() - DAY_MS))
  const last = useGatewayQuery(
    ['endpoints', id, 'replay'],
    async ({ api }) => (await ask(api.GET('/v1/webhooks/{id}/replay-missing', path))).replay,
    REFRESH_MS,
  )
  const order = useGatewayOrder(({ api }) =>
    ask(
      api.POST('/v1/webhooks/{id}/replay-missing', {
        ...path,
        body: { since: new Date(since).toISOString() },
      }),
    ),
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    order.mutate()
  }
  return (
    <section aria-labelledby="missed">
      <h2 id="missed">What it missed</h2>
      <p className="quiet">
        Events that were stored while it was off, was not registered or had other filters are sent by its
        filters of now; what it has got does not come again.
      </p>
      <form onSubmit={submit}>
        <label>
          Send what it missed since
          <input
            type="datetime-local"
            required
            min={localInput(Date.now() - MOST_DAYS * DAY_MS)}
            value={since}
            onChange={event => setSince(event.target.value)}
          />
        </label>
        <button
          type="submit"
          disabled={!endpoint.active || (last.data != null && last.data.endedAt === null)}
          aria-busy={order.isPending}
        >
          Send what it missed
        </button>
      </form>
      <Failure error={order.error ?? last.error} />
      <div role="status">{last.data && <Progress of={last.data} />}</div>
    </section>
  )
}

function Progress({ of }: { of: Schemas['Replay'] }) {
  const counts = `${Number(of.sent).toLocaleString()} sent of ${Number(of.looked).toLocaleString()} events looked at`
  if (of.endedAt !== null) return <p>Done: {counts}.</p>
  return (
    <p>
      <progress value={of.share} aria-label="how much of the span is done" /> {counts}.
      {of.goesOnAt !== null && (
        <>
          {' '}
          The limit of the day is reached; it goes on <Moment at={of.goesOnAt} />.
        </>
      )}
    </p>
  )
}
