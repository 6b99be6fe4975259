import { useChoice } from '../filters/use-filter.js'
import { useGatewayOrder } from '../session/use-gateway.js'
import { sentenceCase } from '../show/sentence-case.js'
import { Failure } from '../show/states.js'
import { askFile, download } from './download.js'
import { EXPORT_SPANS, spanOf } from './export-spans.js'

/** The first four are of a span; of the others a file holds all. */
const OF_SPAN = ['payments', 'revenue', 'series', 'movements'] as const
const WHOLE = ['policies', 'subscribers', 'cohorts'] as const
type Kind = (typeof OF_SPAN)[number] | (typeof WHOLE)[number]

const isOfSpan = (kind: Kind): boolean => (OF_SPAN as readonly Kind[]).includes(kind)

/** @param firstDay of the period that the page shows, as a date of UTC */
export function Downloads({ firstDay, period }: { firstDay: string; period: string }) {
  const [chosen, setChosen] = useChoice('export', EXPORT_SPANS, 'page')
  const span = spanOf(chosen, firstDay, Date.now())
  const order = useGatewayOrder(async ({ api, gateway }, kind: Kind) => {
    const file = await askFile(
      api.GET('/v1/gateway/{gateway}/merchant/export/{kind}', {
        params: { path: { gateway, kind }, query: isOfSpan(kind) ? span : {} },
        parseAs: 'text',
      }),
    )
    download(file)
  })
  const buttons = (kinds: readonly Kind[]) => (
    <div className="row">
      {kinds.map(kind => (
        <button
          key={kind}
          type="button"
          className="outline"
          disabled={order.isPending}
          onClick={() => order.mutate(kind)}
        >
          {sentenceCase(kind)}
        </button>
      ))}
    </div>
  )
  const names = {
    page: period,
    'this-month': 'This month',
    'last-month': 'Last month',
    all: 'All time',
  } as const
  return (
    <section aria-labelledby="downloads">
      <h2 id="downloads">Export as CSV</h2>
      <label className="beside">
        Days of the export (UTC)
        <select value={chosen} onChange={event => setChosen(event.target.value as typeof chosen)}>
          {EXPORT_SPANS.map(each => (
            <option key={each} value={each}>
              {names[each]}
            </option>
          ))}
        </select>
      </label>
      {buttons(OF_SPAN)}
      <p className="quiet">Whole, whatever the days:</p>
      {buttons(WHOLE)}
      <Failure error={order.error} />
    </section>
  )
}
