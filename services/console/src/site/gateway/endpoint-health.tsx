import { ask } from '../api/request.js'
import { useGatewayQuery } from '../session/use-gateway.js'
import { Figures } from '../show/figures.js'
import { Loaded } from '../show/states.js'
import { formatDuration } from '../show/format-time.js'
import { useNow } from '../show/now.js'
import { failureWords } from './failure-words.js'
import { breakerOpenUntil, deliveryTimes } from './delivery-times.js'

const REFRESH_MS = 5_000

/** The health of the endpoint: its newest 100 deliveries, and the deliveries that are held back now. */
export function EndpointHealth({ id }: { id: number }) {
  const query = useGatewayQuery(
    ['endpoints', id, 'health'],
    async ({ api }) => {
      const list = (status?: 'waiting') =>
        ask(
          api.GET('/v1/webhooks/{id}/deliveries', {
            params: { path: { id }, query: { limit: 100, ...(status ? { status } : {}) } },
          }),
        )
      const [newest, waiting] = await Promise.all([list(), list('waiting')])
      return { newest, waiting }
    },
    REFRESH_MS,
  )
  return (
    <Loaded query={query}>
      {({ newest, waiting }) => {
        const { p50Ms, p95Ms, delivered, ended } = deliveryTimes(newest)
        const openUntil = breakerOpenUntil(waiting)
        const reasons = [
          ...new Set(waiting.map(({ heldReason }) => failureWords(heldReason) ?? 'unknown')),
        ].join(', ')
        return (
          <Figures
            figures={[
              ['delivered', ended === 0 ? 'none yet' : `${delivered} of ${ended}`],
              ['time to deliver, p50', p50Ms === null ? 'none yet' : `${p50Ms} ms`],
              ['p95', p95Ms === null ? 'none yet' : `${p95Ms} ms`],
              ['sending', openUntil === null ? 'normally' : <WaitsUntil at={openUntil} />],
              [
                'held back',
                waiting.length === 0
                  ? 'none'
                  : `${waiting.length}${waiting.length === 100 ? ' or more' : ''} (${reasons})`,
              ],
            ]}
          />
        )
      }}
    </Loaded>
  )
}

function WaitsUntil({ at }: { at: string }) {
  const left = Math.max(0, Math.ceil((Date.parse(at) - useNow()) / 1_000) * 1_000)
  return <>{left === 0 ? 'retrying now' : `waits ${formatDuration(left)} after failures`}</>
}
