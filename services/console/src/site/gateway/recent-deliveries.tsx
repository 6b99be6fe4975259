// What the list of endpoints says of each: how many of its newest deliveries arrived, and when the last one was made.
import { ask } from '../api/request.js'
import { useGatewayQuery } from '../session/use-gateway.js'
import { Time } from '../show/values.js'
import { deliveryTimes } from './delivery-times.js'

const NEWEST = 100
const REFRESH_MS = 15_000

const useNewest = (id: number) =>
  useGatewayQuery(
    ['endpoints', id, 'newest deliveries'],
    ({ api }) =>
      ask(api.GET('/v1/webhooks/{id}/deliveries', { params: { path: { id }, query: { limit: NEWEST } } })),
    REFRESH_MS,
  )

export function SuccessRate({ id }: { id: number }) {
  const { data } = useNewest(id)
  if (!data) return <span className="quiet">…</span>
  const { delivered, ended } = deliveryTimes(data)
  if (ended === 0) return <span className="quiet">none yet</span>
  // Rounded down: 100 % is said of no endpoint that missed one.
  return (
    <span title={`${delivered} of the newest ${ended} that ended were delivered`}>
      {Math.floor((100 * delivered) / ended)} %
    </span>
  )
}

export function LastDelivery({ id }: { id: number }) {
  const { data } = useNewest(id)
  if (!data) return <span className="quiet">…</span>
  return data[0] ? <Time at={data[0].createdAt} /> : <span className="quiet">none yet</span>
}
