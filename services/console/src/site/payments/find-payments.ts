// What the public API knows of a tracking ID, a payer or a recipient.
import { apiOf, ask } from '../api/request.js'
import type { Payment } from './use-live-payments.js'

/** Of one question. */
export const MOST_PAYMENTS = 100

/** Somebody who pays or is paid. */
export interface Party {
  /** addresses of policies; those that changed last, by a payment for example, come first */
  policies: readonly string[]
  /** payments without a policy */
  direct: readonly Payment[]
}

const of = (gateway: string | null) => (gateway === null ? {} : { gateway })

/** @param gateway only payments through it; null for those of all */
export async function findByMemo(trackingId: string, gateway: string | null = null): Promise<Payment[]> {
  const events = await ask(
    apiOf().GET('/v1/events', { params: { query: { trackingId, ...of(gateway), limit: MOST_PAYMENTS } } }),
  )
  return events.filter(({ amountString }) => amountString !== undefined)
}

/** @param gateway only its policies and payments; null for those of all */
export async function findParty(key: string, gateway: string | null): Promise<Party> {
  const api = apiOf()
  const policiesBy = (query: { recipient: string } | { userPublicKey: string }) =>
    ask(
      api.GET('/v1/subscriptions', {
        params: { query: { ...query, ...(gateway === null ? {} : { gatewayPublicKey: gateway }) } },
      }),
    ).then(({ data }) => data)
  const direct = (query: { directPayer: string } | { directRecipient: string }) =>
    ask(
      api.GET('/v1/events/payments', {
        params: { query: { ...query, ...of(gateway), limit: MOST_PAYMENTS } },
      }),
    )
  const [received, paid, ...directly] = await Promise.all([
    policiesBy({ recipient: key }),
    policiesBy({ userPublicKey: key }),
    direct({ directPayer: key }),
    direct({ directRecipient: key }),
  ])
  const lastFirst = [...received, ...paid].sort((a, b) => Number(b.updatedAt) - Number(a.updatedAt))
  return {
    policies: [...new Set(lastFirst.map(({ policyAddress }) => policyAddress))],
    direct: directly.flat(),
  }
}

/** The newest payments of each of these policies. */
export async function findOfPolicies(
  policies: readonly string[],
  gateway: string | null,
): Promise<Payment[]> {
  const api = apiOf()
  const lists = await Promise.all(
    policies.map(paymentPolicy =>
      ask(
        api.GET('/v1/events/payments', {
          params: { query: { paymentPolicy, ...of(gateway), limit: MOST_PAYMENTS } },
        }),
      ),
    ),
  )
  return lists.flat()
}
