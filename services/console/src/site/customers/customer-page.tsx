import type { Schemas } from '@payment-tracking/client'
import { Figures } from '../show/figures.js'
import { PageHead } from '../show/page-head.js'
import { Empty, Failure, Loading } from '../show/states.js'
import { Amount, Key, Time, Written } from '../show/values.js'
import { CustomerDue, DueReason } from './customer-due.js'
import { CustomerName } from './customer-name.js'
import { CustomerStateBadge } from './customer-state.js'
import { More } from './more.js'
import { Timeline } from './timeline.js'
import { useGatewayPages } from './use-pages.js'

const PAGE = 50

/** One customer: what was paid, and all that happened, newest first. */
export function CustomerPage({ wallet }: { wallet: string }) {
  const pages = useGatewayPages(['customers', 'one', wallet], ({ api, gateway }, cursor) =>
    api.GET('/v1/gateway/{gateway}/merchant/subscribers/{wallet}', {
      params: {
        path: { gateway, wallet },
        query: { limit: PAGE, ...(cursor === null ? {} : { cursor }) },
      },
    }),
  )
  const first = pages.data?.pages[0]?.data
  const entries = (pages.data?.pages ?? []).flatMap(({ data }) => data.items)
  return (
    <>
      <PageHead
        title={first?.name == null ? 'Customer' : <Written value={first.name} />}
        back={{ href: '/customers', title: 'All customers' }}
        lead={
          <>
            Wallet <Key value={wallet} />
          </>
        }
      />
      <Failure error={pages.error} retry={() => void pages.refetch()} />
      {!first && !pages.error && <Loading lines={10} />}
      {first && (
        <>
          <Facts customer={first} />
          <CustomerName key={wallet} wallet={wallet} name={first.name} />
          <section className="panel" aria-labelledby="happened">
            <h2 id="happened">Activity</h2>
            {entries.length === 0 ? <Empty title="No activity yet" /> : <Timeline entries={entries} />}
            <More title="Older" pages={pages} />
          </section>
        </>
      )}
    </>
  )
}

function Facts({ customer }: { customer: Schemas['SubscriberTimeline'] }) {
  const { state, oneTime, due, policyCount, lastActiveAt, byToken, complete } = customer
  return (
    <article className="panel">
      <Figures
        figures={[
          ['state', <CustomerStateBadge key="state" value={state} oneTime={oneTime} />],
          ['policies', String(policyCount)],
          ['due next', <CustomerDue key="due" due={due} />],
          ['last payment', lastActiveAt === null ? 'none' : <Time key="last" at={lastActiveAt} />],
        ]}
      />
      <DueReason due={due} wallet={customer.wallet} />
      {byToken.map(({ tokenMint, totalPaid, paymentCount }) => (
        <p key={tokenMint ?? 'unknown'}>
          Paid <Amount raw={totalPaid} mint={tokenMint} /> in {String(paymentCount)}{' '}
          {Number(paymentCount) === 1 ? 'payment' : 'payments'}.
        </p>
      ))}
      {!complete && <p className="quiet">Only the newest payments are counted; there are more.</p>}
    </article>
  )
}
