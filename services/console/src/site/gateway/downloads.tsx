import { ask } from '../api/request.js'
import { useGatewayOrder } from '../session/use-gateway.js'
import { Failure } from '../show/states.js'
import { download } from './download.js'
import { sentenceCase } from '../show/sentence-case.js'

const EXPORTS = ['payments', 'policies', 'subscribers', 'revenue', 'movements', 'cohorts'] as const

export function Downloads() {
  const order = useGatewayOrder(async ({ api, gateway }, kind: (typeof EXPORTS)[number]) => {
    const text = await ask(
      api.GET('/v1/gateway/{gateway}/merchant/export/{kind}', {
        params: { path: { gateway, kind }, query: {} },
        parseAs: 'text',
      }),
    )
    download(`${kind}-${gateway}.csv`, text)
  })
  return (
    <section aria-labelledby="downloads">
      <h2 id="downloads">Export as CSV</h2>
      <div className="row">
        {EXPORTS.map(kind => (
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
      <Failure error={order.error} />
    </section>
  )
}
