import { Badge } from '../show/values.js'
import type { LiveState } from './use-live-payments.js'

const WORDS = { open: 'live', lost: 'reconnecting', connecting: 'connecting' } as const

/** Whether new payments show by themselves now. */
export const LiveBadge = ({ state, isLive }: { state: LiveState; isLive: boolean }) =>
  isLive ? (
    <Badge tone={state === 'open' ? 'good' : 'wait'}>{WORDS[state]}</Badge>
  ) : (
    <Badge tone="plain">paused</Badge>
  )
