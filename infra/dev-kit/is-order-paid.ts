import { nextCursor, type Schemas } from '@payment-tracking/client'
import { client, given, read, Refused, TOKEN, type Arguments } from './ask-service.js'

/** Pages of expectations with one tracking ID: a gateway has one for each recipient and token. */
const MOST_PAGES = 10
type Expectation = Schemas['Expectation']

/**
 * The expected payment of the key's gateway with these terms. A key does not say whose it is, so an expectation that a search
 * finds names the gateway.
 * @returns null where the gateway expects no such payment, or the key may not see it
 * @throws Refused when the service does not answer the question
 */
async function findExpectation({
  trackingId = '',
  recipient,
  tokenMint,
}: Arguments): Promise<Expectation | null> {
  if (TOKEN === undefined) return null
  try {
    const hits = await read(client.GET('/v1/search', { params: { query: { q: trackingId } } }))
    const hit = hits.find(({ kind }) => kind === 'expectation')
    if (!hit) return null
    const { gateway } = await read(client.GET('/v1/expectations/{id}', { params: { path: { id: hit.id } } }))
    let cursor: string | null = null
    for (let page = 0; page < MOST_PAGES; page++) {
      const query = cursor === null ? { trackingId, limit: 1_000 } : { cursor }
      const asking = client.GET('/v1/gateway/{gateway}/expectations', {
        params: { path: { gateway }, query },
      })
      const fits = (each: Expectation) => each.recipient === recipient && each.tokenMint === tokenMint
      const found = (await read(asking)).find(fits)
      cursor = nextCursor((await asking).response)
      if (found || cursor === null) return found ?? null
    }
  } catch (error) {
    // A key without the scope: payments answer all the same. What cannot be sought, their check refuses by its name.
    if (error instanceof Refused && (error.status === 403 || error.status === 400)) return null
    throw error
  }
  throw new Refused('The gateway has too many expected payments with this tracking ID.')
}

const WHY_NONE = TOKEN === undefined ? 'without PAYMENT_TRACKING_API_KEY' : 'to this API key'
const BY_PAYMENTS = `No expected payment with these terms is known ${WHY_NONE}: only a single payment that covers the amount counts, and parts are not added up.`

const WHOLE = /^\d{1,20}$/
const isFinality = (text: string | undefined) => [undefined, 'confirmed', 'finalized'].includes(text)

/** The expectation adds parts up and takes retractions back; without one, a single payment must cover the order. */
export async function isOrderPaid(values: Arguments): Promise<object> {
  const { amount = '', finality } = values
  // The check of payments refuses terms that cannot be read.
  const expectation = WHOLE.test(amount) && isFinality(finality) ? await findExpectation(values) : null
  if (expectation) {
    const isMet = ['paid', 'overpaid'].includes(expectation.state)
    const isEnough = BigInt(expectation.paidAmountString) >= BigInt(amount)
    const isFinal = finality !== 'finalized' || expectation.finality === 'finalized'
    return { paid: isMet && isEnough && isFinal, answeredBy: 'expectation', expectation }
  }
  const query = given(values, 'trackingId', 'recipient', 'tokenMint', 'amount', 'finality') as never
  const check = await read(client.GET('/v1/payments/check', { params: { query } }))
  return { answeredBy: 'payments', note: BY_PAYMENTS, ...(check as object) }
}
