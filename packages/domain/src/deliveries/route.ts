// What becomes of a message for a webhook: it is sent now, waits, or is dropped. `ROUTES` is the only place that decides.
// `packages/store/test/messages/routes.test.ts` drives every combination through the statements that production runs.
import { DIRECT_TRANSFER_POLICY } from '../messages/direct-transfer.js'
import { PAYMENT_MESSAGE_TYPE } from './delivery-message.js'
import { judgeFilters, type FilteredDetails, type WebhookFilters } from './webhook-filters.js'

export const ROUTE_NAMES = ['send', 'await-finality', 'await-details', 'drop'] as const
export type Route = (typeof ROUTE_NAMES)[number]

/** What a gateway has chosen for one of its webhooks. */
export interface RoutedWebhook {
  /** neither turned off nor deleted */
  active: boolean
  /** none are the default ones */
  eventTypes: readonly string[] | null
  /** `finalized`: only what is final; anything else: at once */
  finality: string
  filters: WebhookFilters | null
}

export interface RoutedMessage {
  type: string
  /** the policy that the message is about */
  policy: string
}

/** Whether the webhook asks for the type, and may be sent anything. */
type Endpoint = 'asks' | 'asks, is off' | 'does not ask' | 'does not ask, is off'
/** What the filters say of the known details. */
type Filtered = ReturnType<typeof judgeFilters>
/**
 * Whether an event can still name a missing recipient or token. Sent before that, a shop could ship for somebody else's payment. Dropped,
 * the shop could miss a payment of its own.
 */
type Details = 'can come' | 'never come'
/** When the webhook is notified, and whether the cause is final. */
type Finality = 'at once, not final' | 'at once, final' | 'when final, not final' | 'when final, final'

type Routes = Record<Filtered, Record<Details, Record<Finality, Route>>>

const ALL_DROPPED: Record<Finality, Route> = {
  'at once, not final': 'drop',
  'at once, final': 'drop',
  'when final, not final': 'drop',
  'when final, final': 'drop',
}

const ALL_AWAIT_DETAILS: Record<Finality, Route> = {
  'at once, not final': 'await-details',
  'at once, final': 'await-details',
  'when final, not final': 'await-details',
  'when final, final': 'await-details',
}

const WHEN_KNOWN: Record<Finality, Route> = {
  'at once, not final': 'send',
  'at once, final': 'send',
  'when final, not final': 'await-finality',
  'when final, final': 'send',
}

const NOTHING: Routes = {
  passes: { 'can come': ALL_DROPPED, 'never come': ALL_DROPPED },
  refused: { 'can come': ALL_DROPPED, 'never come': ALL_DROPPED },
  unknown: { 'can come': ALL_DROPPED, 'never come': ALL_DROPPED },
}

/**
 * Every combination. The filters judge the details first. A message that they refuse does not wait for finality; the body of one
 * that waits for finality has the details that they passed.
 */
const ROUTES: Record<Endpoint, Routes> = {
  asks: {
    passes: { 'can come': WHEN_KNOWN, 'never come': WHEN_KNOWN },
    refused: { 'can come': ALL_DROPPED, 'never come': ALL_DROPPED },
    unknown: { 'can come': ALL_AWAIT_DETAILS, 'never come': ALL_DROPPED },
  },
  'asks, is off': NOTHING,
  'does not ask': NOTHING,
  'does not ask, is off': NOTHING,
}

function endpointOf({ active, eventTypes }: RoutedWebhook, type: string): Endpoint {
  const asks = eventTypes?.length ? eventTypes.includes(type) : type === PAYMENT_MESSAGE_TYPE
  if (asks) return active ? 'asks' : 'asks, is off'
  return active ? 'does not ask' : 'does not ask, is off'
}

function finalityOf({ finality }: RoutedWebhook, isFinal: boolean): Finality {
  if (finality === 'finalized') return isFinal ? 'when final, final' : 'when final, not final'
  return isFinal ? 'at once, final' : 'at once, not final'
}

/**
 * @param known the present details of the payment or policy; null: it was retracted
 * @param isFinal whether the event that causes the message is final; true for a message that time causes
 */
export function route(
  webhook: RoutedWebhook,
  message: RoutedMessage,
  known: FilteredDetails | null,
  isFinal: boolean,
): Route {
  const filtered = known === null ? 'refused' : judgeFilters(webhook.filters, known)
  // Nothing can become known of a direct transfer, which has no policy.
  const details = message.policy === DIRECT_TRANSFER_POLICY ? 'never come' : 'can come'
  return ROUTES[endpointOf(webhook, message.type)][filtered][details][finalityOf(webhook, isFinal)]
}
