import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { ask } from '../api/request.js'
import { findByMemo } from '../payments/find-payments.js'
import { PaymentTable } from '../payments/payment-table.js'
import { toneOf } from '../payments/trace.js'
import { useGatewayOrder, useGatewayQuery } from '../session/use-gateway.js'
import { PageHead } from '../show/page-head.js'
import { Empty, Failure, Loaded } from '../show/states.js'
import { Table } from '../show/table.js'
import { Amount, Badge, ExactTime, Finality, Key, Memo, Time, Written } from '../show/values.js'
import { ExpectationState, type Expectation } from './expectation-state.js'

const LISTED = 100
/** What is not paid may be given up: anybody can pay a part, and it would last for ever. */
const CANCELLABLE: ReadonlySet<string> = new Set(['open', 'underpaid', 'expired'])

export function ExpectationPage({ id }: { id: string }) {
  const query = useGatewayQuery(
    ['expectations', id],
    ({ api, gateway }) =>
      ask(api.GET('/v1/gateway/{gateway}/expectations/{id}', { params: { path: { gateway, id } } })),
    3_000,
  )
  const cancel = useGatewayOrder(({ api, gateway }) =>
    ask(api.POST('/v1/gateway/{gateway}/expectations/{id}/cancel', { params: { path: { gateway, id } } })),
  )
  return (
    <>
      <PageHead title="Expected payment" back={{ href: '/expected', title: 'All expected payments' }} />
      <Loaded query={query} lines={8}>
        {expectation => (
          <div className="stack">
            <article className="panel">
              <div className="row">
                <h2>
                  <Memo value={expectation.trackingId} />
                </h2>
                <ExpectationState {...expectation} />
                {expectation.finality && <Finality value={expectation.finality} />}
              </div>
              <p className="large-amount">
                <Amount raw={expectation.paidAmountString} mint={expectation.tokenMint} />{' '}
                <span className="quiet small">
                  of <Amount raw={expectation.amountString} mint={expectation.tokenMint} />
                </span>
              </p>
              <Terms {...expectation} />
              {CANCELLABLE.has(expectation.state) && (
                <button type="button" className="outline" onClick={() => cancel.mutate()}>
                  Cancel
                </button>
              )}
              <Failure error={cancel.error} />
            </article>
            <Payments {...expectation} />
            <Notices {...expectation} />
          </div>
        )}
      </Loaded>
    </>
  )
}

function Terms({ recipient, tokenMint, reference, createdAt, expiresAt, changedAt, id }: Expectation) {
  return (
    <dl>
      <dt>Recipient</dt>
      <dd>
        <Key value={recipient} />
      </dd>
      <dt>Token</dt>
      <dd>
        <Key value={tokenMint} />
      </dd>
      <dt>Expires</dt>
      <dd>{expiresAt === null ? 'no expiry' : <ExactTime at={expiresAt} />}</dd>
      <dt>Changed</dt>
      <dd>
        <ExactTime at={changedAt} />
      </dd>
      <dt>Created</dt>
      <dd>
        <ExactTime at={createdAt} />
      </dd>
      {reference !== null && (
        <>
          <dt>Reference</dt>
          <dd className="text">
            <Written value={reference} />
          </dd>
        </>
      )}
      <dt>ID</dt>
      <dd>
        <code>{id}</code>
      </dd>
    </dl>
  )
}

/** The newest payments of the tracking ID that count. */
function Payments({ trackingId, payments, changedAt, paidAmountString }: Expectation) {
  const query = useQuery({
    queryKey: ['expected', trackingId, changedAt, paidAmountString],
    queryFn: () => findByMemo(trackingId),
    select: all => all.filter(({ id }) => payments.includes(id)),
  })
  return (
    <section aria-labelledby="payments">
      <h2 id="payments">Payments that count</h2>
      <Loaded query={query}>
        {counted =>
          counted.length === 0 ? (
            <Empty title="None yet">A payment to another recipient or in another token does not count.</Empty>
          ) : (
            <PaymentTable title="Payments that count" payments={counted} />
          )
        }
      </Loaded>
    </section>
  )
}

/** What endpoints were sent of it. */
function Notices({ trackingId }: Expectation) {
  const query = useGatewayQuery(
    ['expectations', 'notices', trackingId],
    ({ api }) =>
      ask(api.GET('/v1/webhooks/deliveries', { params: { query: { trackingId, limit: LISTED } } })),
    3_000,
  )
  return (
    <section aria-labelledby="notices">
      <h2 id="notices">Notifications</h2>
      <Loaded query={query}>
        {deliveries => {
          const notices = deliveries.filter(({ type }) => type.startsWith('expectation.'))
          return notices.length === 0 ? (
            <Empty title="No endpoint was notified">
              An <Link href="/endpoints">endpoint</Link> can subscribe to <code>expectation.…</code>
            </Empty>
          ) : (
            <Table
              title="Notifications"
              rows={notices}
              keyOf={({ id }) => String(id)}
              columns={[
                {
                  head: 'type',
                  phone: 'lead',
                  cell: ({ id, webhookId, type }) => (
                    <Link
                      className="row-link"
                      href={`/endpoints/${String(webhookId)}/deliveries/${String(id)}`}
                    >
                      {type}
                    </Link>
                  ),
                },
                {
                  head: 'state',
                  phone: 'side',
                  cell: ({ status }) => <Badge tone={toneOf(status)}>{status}</Badge>,
                },
                { head: 'created', cell: ({ createdAt }) => <Time at={createdAt} /> },
              ]}
            />
          )
        }}
      </Loaded>
    </section>
  )
}
