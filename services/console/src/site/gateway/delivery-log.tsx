import type { Schemas } from '@payment-tracking/client'
import { useState } from 'react'
import { Link } from 'wouter'
import { ask } from '../api/request.js'
import { useChoice, useFilter } from '../filters/use-filter.js'
import { WithoutBlanks } from '../filters/without-blanks.js'
import { Meant } from '../find/meant.js'
import { toneOf } from '../payments/trace.js'
import { useGatewayOrder, useGatewayQuery } from '../session/use-gateway.js'
import { pageLength } from '../show/page-length.js'
import { Pager } from '../show/pager.js'
import { Empty, Failure, Loaded } from '../show/states.js'
import { Table, type Column } from '../show/table.js'
import { Badge, Memo, Time } from '../show/values.js'
import { reasonWords } from './endpoint-words.js'
import { sentenceCase } from '../show/sentence-case.js'

type Delivery = Schemas['Delivery']
const STATES = ['pending', 'waiting', 'delivered', 'failed', 'cancelled'] as const
const PAGE = pageLength(50)
/** How far back the replay of all failed deliveries goes. */
const REPLAY_DAYS = 7

/** @param failure what the endpoint answered last, where it did not accept */
export function DeliveryLog({ id, failure }: { id: number; failure: string | null }) {
  const [status, setStatus] = useChoice('status', ['', ...STATES], '', ['page'])
  const [trackingId, setTrackingId] = useFilter('trackingId', '', ['page'])
  const [at, setAt] = useFilter('page', '0')
  const page = /^\d{1,4}$/.test(at) ? Number(at) : 0
  const setPage = (next: number) => setAt(String(next))
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set())
  const query = useGatewayQuery(
    ['endpoints', id, 'deliveries', status, trackingId, page],
    ({ api }) =>
      ask(
        api.GET('/v1/webhooks/{id}/deliveries', {
          params: {
            path: { id },
            query: {
              ...(status === '' ? {} : { status }),
              ...(trackingId === '' ? {} : { trackingId }),
              limit: PAGE,
              offset: page * PAGE,
            },
          },
        }),
      ),
    3_000,
  )
  const replayTicked = useGatewayOrder(async ({ api }) => {
    for (const deliveryId of ticked)
      await ask(
        api.POST('/v1/webhooks/{id}/deliveries/{deliveryId}/redeliver', {
          params: { path: { id, deliveryId: Number(deliveryId) } },
        }),
      )
    setTicked(new Set())
    return ticked.size
  })
  const replayFailed = useGatewayOrder(({ api }) =>
    ask(
      api.POST('/v1/webhooks/{id}/redeliver', {
        params: { path: { id } },
        body: { since: new Date(Date.now() - REPLAY_DAYS * 86_400_000).toISOString(), status: 'failed' },
      }),
    ),
  )
  const tick = (key: string, isOn: boolean) => {
    const next = new Set(ticked)
    if (isOn) next.add(key)
    else next.delete(key)
    setTicked(next)
  }
  return (
    <section aria-labelledby="log">
      <h2 id="log">Deliveries</h2>
      <div className="columns">
        <label>
          State
          <select value={status} onChange={event => setStatus(event.target.value as typeof status)}>
            <option value="">All</option>
            {STATES.map(state => (
              <option key={state} value={state}>
                {sentenceCase(state)}
              </option>
            ))}
          </select>
        </label>
        <label>
          Tracking ID
          <input type="search" value={trackingId} onChange={event => setTrackingId(event.target.value)} />
        </label>
      </div>
      <Loaded query={query}>
        {deliveries => (
          <>
            {deliveries.length === 0 ? (
              <Empty title="No deliveries">
                {status === '' && trackingId === ''
                  ? 'Send a test event to see it here with its response.'
                  : 'None with this state and tracking ID.'}
                {trackingId !== '' && <Meant text={trackingId} />}
                <WithoutBlanks parameter="trackingId" />
              </Empty>
            ) : (
              <Table
                title="Deliveries"
                rows={deliveries}
                columns={columnsOf(id, failure, ticked, tick)}
                keyOf={delivery => String(delivery.id)}
              />
            )}
            <Pager
              from={page * PAGE}
              shown={deliveries.length}
              hasMore={deliveries.length === PAGE}
              newer={() => setPage(page - 1)}
              older={() => setPage(page + 1)}
            />
          </>
        )}
      </Loaded>
      <div className="row">
        <button
          type="button"
          disabled={ticked.size === 0 || replayTicked.isPending}
          onClick={() => replayTicked.mutate()}
        >
          Replay selected
        </button>
        <button type="button" className="outline" onClick={() => replayFailed.mutate()}>
          Replay all failed in the last {REPLAY_DAYS} days
        </button>
      </div>
      <div role="status">
        {replayTicked.data !== undefined && <p>{replayTicked.data} queued.</p>}
        {replayFailed.data && (
          <p>
            {String(replayFailed.data.count)} queued{replayFailed.data.more ? '; there are more' : ''}.
          </p>
        )}
      </div>
      <Failure error={replayTicked.error ?? replayFailed.error} />
    </section>
  )
}

const columnsOf = (
  id: number,
  failure: string | null,
  ticked: ReadonlySet<string>,
  tick: (key: string, isOn: boolean) => void,
): readonly Column<Delivery>[] => [
  {
    head: 'replay',
    cell: delivery => (
      <label className="tick">
        <input
          type="checkbox"
          aria-label={`Replay delivery ${String(delivery.id)}`}
          checked={ticked.has(String(delivery.id))}
          onChange={event => tick(String(delivery.id), event.target.checked)}
        />
      </label>
    ),
  },
  {
    head: 'delivery',
    cell: delivery => (
      <Link className="row-link" href={`/endpoints/${id}/deliveries/${String(delivery.id)}`}>
        {String(delivery.id)}
      </Link>
    ),
  },
  { head: 'created', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { head: 'type', phone: 'lead', cell: ({ type }) => type },
  { head: 'tracking ID', kind: 'text', cell: ({ trackingId }) => <Memo value={trackingId} /> },
  { head: 'state', phone: 'side', cell: ({ status }) => <Badge tone={toneOf(status)}>{status}</Badge> },
  { head: 'attempts', kind: 'number', tablet: 'away', cell: ({ attempts }) => String(attempts) },
  {
    head: 'reason',
    kind: 'text',
    cell: delivery => reasonWords(delivery, failure),
  },
]
