import { nextCursor } from '@payment-tracking/client'
import { useState } from 'react'
import { Link } from 'wouter'
import { ask } from '../api/request.js'
import { useChoice } from '../filters/use-filter.js'
import { useGatewayQuery } from '../session/use-gateway.js'
import { pageLength } from '../show/page-length.js'
import { PageHead } from '../show/page-head.js'
import { Pager } from '../show/pager.js'
import { Empty, Loaded } from '../show/states.js'
import { Table } from '../show/table.js'
import { Amount, Memo, Time } from '../show/values.js'
import { ExpectationState, type Expectation } from './expectation-state.js'
import { NewExpectation } from './new-expectation.js'
import { sentenceCase } from '../show/sentence-case.js'

const STATES: readonly Expectation['state'][] = [
  'open',
  'underpaid',
  'paid',
  'overpaid',
  'expired',
  'cancelled',
]
const PAGE = pageLength(50)

export function ExpectationsPage() {
  const [state, setState] = useChoice('state', ['', ...STATES], '')
  const [isNew, setNew] = useState(false)
  return (
    <>
      <PageHead
        title="Expected payments"
        lead="Enter what an order costs and see when it is paid: in full, in part, too much, too late, or reversed."
      >
        <button type="button" aria-expanded={isNew} onClick={() => setNew(!isNew)}>
          New expected payment
        </button>
      </PageHead>
      {isNew && <NewExpectation />}
      <label>
        State
        <select value={state} onChange={event => setState(event.target.value as typeof state)}>
          <option value="">All</option>
          {STATES.map(each => (
            <option key={each} value={each}>
              {sentenceCase(each)}
            </option>
          ))}
        </select>
      </label>
      <Expectations key={state} state={state} />
    </>
  )
}

function Expectations({ state }: { state: '' | Expectation['state'] }) {
  /** of the pages before, and of this one; the first has none */
  const [cursors, setCursors] = useState<readonly (string | undefined)[]>([undefined])
  const cursor = cursors.at(-1)
  const query = useGatewayQuery(
    ['expectations', state, cursor],
    async ({ api, gateway }) => {
      const filters = cursor === undefined ? { limit: PAGE, ...(state !== '' && { state }) } : { cursor }
      const request = api.GET('/v1/gateway/{gateway}/expectations', {
        params: { path: { gateway }, query: filters },
      })
      const items = await ask(request)
      return { items, next: nextCursor((await request).response) }
    },
    3_000,
  )
  return (
    <Loaded query={query}>
      {({ items, next }) => (
        <>
          {items.length === 0 ? (
            <Empty title="No expected payments">
              {state === '' ? 'Create one above.' : 'None in this state.'}
            </Empty>
          ) : (
            <Table
              title="Expected payments"
              rows={items}
              keyOf={({ id }) => id}
              columns={[
                {
                  head: 'tracking ID',
                  kind: 'text',
                  phone: 'lead',
                  cell: ({ id, trackingId }) => (
                    <Link className="row-link" href={`/expected/${id}`}>
                      <Memo value={trackingId} />
                    </Link>
                  ),
                },
                { head: 'state', phone: 'side', cell: each => <ExpectationState {...each} /> },
                {
                  head: 'paid',
                  kind: 'number',
                  cell: ({ paidAmountString, tokenMint }) => (
                    <Amount raw={paidAmountString} mint={tokenMint} />
                  ),
                },
                {
                  head: 'expected',
                  kind: 'number',
                  cell: ({ amountString, tokenMint }) => <Amount raw={amountString} mint={tokenMint} />,
                },
                { head: 'changed', tablet: 'away', cell: ({ changedAt }) => <Time at={changedAt} /> },
                {
                  head: 'expires',
                  cell: ({ expiresAt }) =>
                    expiresAt === null ? <span className="quiet">no expiry</span> : <Time at={expiresAt} />,
                },
              ]}
            />
          )}
          <Pager
            from={(cursors.length - 1) * PAGE}
            shown={items.length}
            hasMore={next !== null}
            newer={() => setCursors(cursors.slice(0, -1))}
            older={() => next !== null && setCursors([...cursors, next])}
          />
        </>
      )}
    </Loaded>
  )
}
