// Where what was found has its page.
import type { Schemas } from '@payment-tracking/client'

export type Found = Schemas['Found']

/** @param own the gateway that is signed in */
export function pathOf({ kind, id, webhookId }: Found, own: string | null): string {
  const text = encodeURIComponent(id)
  switch (kind) {
    case 'transaction':
      return `/payments/${text}`
    case 'tracking_id':
    case 'wallet':
      return `/payments?q=${text}`
    case 'policy':
      return `/subscriptions/${text}`
    case 'gateway':
      return id === own ? '/' : `/subscriptions?gateway=${text}`
    case 'customer':
      return `/customers/${text}`
    case 'webhook':
      return `/endpoints/${text}`
    case 'delivery':
      return `/endpoints/${String(webhookId)}/deliveries/${text}`
    case 'expectation':
      return `/expected/${text}`
  }
}

const NAMES: Record<Found['kind'], string> = {
  transaction: 'Payment',
  tracking_id: 'Payments with this tracking ID',
  policy: 'Subscription',
  wallet: 'Payments of this wallet',
  gateway: 'Gateway',
  customer: 'Customer',
  webhook: 'Endpoint',
  delivery: 'Delivery',
  expectation: 'Expected payment',
}

export const nameOf = ({ kind }: Found): string => NAMES[kind]

/** Whether the text is a name that nothing else can have, as an address is; a short number names a delivery only by chance. */
export const isWholeName = ({ id }: Found, text: string): boolean => id.length >= 32 && id === text.trim()

/** The page of a customer shows what the wallet paid. */
export const withoutTwins = (found: readonly Found[]): Found[] =>
  found.filter(({ kind }) => kind !== 'wallet' || found.every(each => each.kind !== 'customer'))
