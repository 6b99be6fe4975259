import { useLate } from '../show/use-delays.js'
import { Badge } from '../show/values.js'
import type { LiveState } from './use-live-payments.js'

const WORDS = { open: 'live', lost: 'reconnecting', connecting: 'connecting' } as const

/** Whether new payments show by themselves now: not while the service itself is late with them. */
export function LiveBadge({ state, isLive }: { state: LiveState; isLive: boolean }) {
  const late = useLate()
  if (!isLive) return <Badge tone="plain">paused</Badge>
  // Before the service has said that it is not late, nothing here is live.
  if (late === null) return <Badge tone="wait">{WORDS[state === 'open' ? 'connecting' : state]}</Badge>
  if (late.paymentsSince) return <Badge tone="bad">delayed</Badge>
  if (late.deliveriesSince) return <Badge tone="bad">deliveries late</Badge>
  if (!late.isKnown) return <Badge tone="wait">perhaps delayed</Badge>
  return <Badge tone={state === 'open' ? 'good' : 'wait'}>{WORDS[state]}</Badge>
}
