import { WithoutBlanks } from '../filters/without-blanks.js'
import { Meant } from '../find/meant.js'
import { isKey } from '../show/is-key.js'
import { pageLength } from '../show/page-length.js'
import { PageHead } from '../show/page-head.js'
import { shownWords } from '../show/pager.js'
import { Empty, Failure, Loading } from '../show/states.js'
import { WORDS } from '../show/words.js'
import {
  CustomerFilters,
  FILTERS,
  isSortable,
  SORTS,
  useCustomerFilter,
  type CustomerFilter,
} from './customer-filters.js'
import { CustomerTable } from './customer-table.js'
import { More } from './more.js'
import { useGatewayPages } from './use-pages.js'

const PAGE = pageLength(50)

export function CustomersPage() {
  const filter = useCustomerFilter()
  return (
    <>
      <PageHead title="Customers" lead="Wallets that have paid you, or have agreed to." />
      <CustomerFilters key={filter.search} filter={filter} />
      <Customers filter={filter} />
    </>
  )
}

function Customers({ filter }: { filter: CustomerFilter }) {
  const { key, search } = filter
  const order = isSortable(filter) ? SORTS.find(each => each.key === filter.sort)!.sort : null
  const chosen = FILTERS.find(each => each.key === key)!
  const pages = useGatewayPages(['customers', key, search, order], ({ api, gateway }, cursor) =>
    api.GET('/v1/gateway/{gateway}/merchant/subscribers', {
      params: {
        path: { gateway },
        query: {
          ...chosen.query,
          ...(order !== null && { sort: order }),
          ...(search === '' ? {} : { search: isKey(search) ? search.trim() : search }),
          limit: PAGE,
          ...(cursor === null ? {} : { cursor }),
        },
      },
    }),
  )
  if (pages.error && !pages.data) return <Failure error={pages.error} retry={() => void pages.refetch()} />
  if (!pages.data) return <Loading lines={16} shape="rows" />
  const customers = pages.data.pages.flatMap(({ data }) => data.items)
  const total = pages.data.pages[0]?.data.total ?? null
  return (
    <section aria-label={chosen.title}>
      <Failure error={pages.error} />
      <p className="quiet">{WORDS[chosen.word]}</p>
      <p role="status" className="quiet">
        {order === 'paid' && customers.length === PAGE
          ? `The first ${PAGE}, by what each paid in the token of most payments, among your newest 100,000.`
          : countOf(customers.length, total === null ? null : Number(total), pages.hasNextPage)}
      </p>
      {customers.length > 0 && <CustomerTable customers={customers} />}
      {customers.length === 0 && !pages.hasNextPage && <NoCustomers search={search} />}
      <More title="More customers" pages={pages} />
    </section>
  )
}

const NoCustomers = ({ search }: { search: string }) => (
  <Empty title="No customers in this list">
    {search === '' ? 'Choose another list above.' : <Meant text={search} />}
    <WithoutBlanks parameter="q" />
  </Empty>
)

const countOf = (shown: number, total: number | null, hasMore: boolean): string =>
  total === null || !hasMore
    ? shownWords(0, shown, hasMore)
    : `The first ${shown.toLocaleString('en-US')} of ${total.toLocaleString('en-US')}.`
