// One's own payments that pass the filters, with their sums and a file of all of them.
import { More } from '../customers/more.js'
import { useGatewayPages } from '../customers/use-pages.js'
import { Meant } from '../find/meant.js'
import { WithoutBlanks } from '../filters/without-blanks.js'
import { askFile, download } from '../gateway/download.js'
import { payments as inPayments } from '../gateway/due.js'
import { useGatewayOrder } from '../session/use-gateway.js'
import { Amount } from '../show/amount.js'
import { pageLength } from '../show/page-length.js'
import { shownWords } from '../show/pager.js'
import { Empty, Failure, Loading } from '../show/states.js'
import type { PaymentFilters } from './payment-filters.js'
import { PaymentTable } from './payment-table.js'

const PAGE = pageLength(100)

export function FilteredPayments({ filters, text }: { filters: PaymentFilters; text: string }) {
  const query = filters.queryOf(text)
  const hasDates = query.startTime !== undefined || query.endTime !== undefined
  const pages = useGatewayPages(['payments', query], ({ api, gateway }, cursor) =>
    api.GET('/v1/gateway/{gateway}/merchant/payments', {
      params: { path: { gateway }, query: cursor === null ? { ...query, limit: PAGE } : { cursor } },
    }),
  )
  const file = useGatewayOrder(async ({ api, gateway }) => {
    const { sort: _sort, ...filter } = query
    const csv = await askFile(
      api.GET('/v1/gateway/{gateway}/merchant/export/{kind}', {
        params: { path: { gateway, kind: 'payments' }, query: filter },
        parseAs: 'text',
      }),
    )
    download(csv)
  })
  if (pages.error && !pages.data) return <Failure error={pages.error} retry={() => void pages.refetch()} />
  if (!pages.data) return <Loading lines={16} shape="rows" />
  const found = pages.data.pages.flatMap(({ data }) => data.items)
  const { byToken, complete } = pages.data.pages[0]!.data
  // The sums count all that pass the filters.
  const all = byToken.reduce((sum, { count }) => sum + Number(count), 0)
  return (
    <section aria-label="Filtered payments">
      <div className="row">
        <div role="status">
          {byToken.map(({ tokenMint, count, totalAmount }) => (
            <p key={tokenMint ?? 'unknown'}>
              {!complete && 'at least '}
              <Amount raw={totalAmount} mint={tokenMint} />{' '}
              <span className="quiet">in {inPayments(Number(count))}</span>
            </p>
          ))}
        </div>
        <button
          type="button"
          className="outline actions"
          aria-busy={file.isPending}
          disabled={file.isPending}
          onClick={() => file.mutate()}
        >
          Export CSV
        </button>
      </div>
      <Failure error={pages.error ?? file.error} />
      {found.length > 0 && <PaymentTable title="Filtered payments" payments={found} isExact={hasDates} />}
      {found.length === 0 && !pages.hasNextPage && (
        <Empty title="No payment was found">
          Only payments of your gateway were searched.
          {text !== '' && <Meant text={text} />}
          <WithoutBlanks parameter="q" />
        </Empty>
      )}
      {query.sort !== 'newest' && found.length === PAGE && (
        <p className="quiet">The first {PAGE}; the file has all.</p>
      )}
      {query.sort === 'newest' && found.length > 0 && (
        <p role="status" className="quiet">
          {shownWords(0, found.length, pages.hasNextPage, complete ? all : 0)}
        </p>
      )}
      <More title="More payments" pages={pages} />
    </section>
  )
}
