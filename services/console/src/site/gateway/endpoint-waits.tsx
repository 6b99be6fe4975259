import type { Schemas } from '@payment-tracking/client'
import { Moment } from '../show/time.js'

/** So many are counted; there may be more. */
const MOST_COUNTED = 1_000

type Waits = Pick<Schemas['Webhook'], 'waiting' | 'nextTryAt' | 'lastTryAt'>

/** What is sent to the endpoint by itself: `7 deliveries are still tried, failed ones too: next 14:05, last on Mon 09:12.` */
export function EndpointWaits({ of: { waiting, nextTryAt, lastTryAt } }: { of: Waits }) {
  if (nextTryAt === null || lastTryAt === null) return null
  const count = Number(waiting)
  const counted = count >= MOST_COUNTED ? `At least ${count.toLocaleString()}` : String(count)
  return (
    <p>
      {counted} {count === 1 ? 'delivery is' : 'deliveries are'} still tried, failed ones too where they are
      tried again: next <Moment at={nextTryAt} />, last <Moment at={lastTryAt} />.
    </p>
  )
}
