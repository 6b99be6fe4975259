// Proof-of-payment tokens: signed statements about stored policies and payments.
import { randomUUID } from 'node:crypto'
import { awaitsFirstPayment, claimOf, tokenEndsAt, type PolicyClaim } from '@payment-tracking/domain'
import {
  listClaimablePayments,
  listClaimablePolicies,
  type ClaimablePayment,
  type ClaimFilter,
} from '@payment-tracking/store/reads'
import { type Store } from '@payment-tracking/store/core'
import { jwtVerify, SignJWT } from 'jose'
import { findVerifyingKey } from '../gateway-auth/signing-keys.js'
import { ApiError, NotFoundError } from '../http/api-errors.js'
import { CHECKOUT_ALGORITHM, type CheckoutKeys } from './checkout-keys.js'

/** Every published verifier requires this audience. */
export const CHECKOUT_AUDIENCE = 'tributary-checkout'
/** The token travels in a URL. */
const MOST_POLICIES = 10
const NEWEST_PAYMENTS = 3
/** How long after its expiry a client can exchange a token for a new token. */
const REFRESHABLE_SECONDS = 7 * 86_400

/** The request for a token, with the names of the request's fields. */
export interface CheckoutRequest {
  walletPublicKey?: string | undefined
  recipient?: string | undefined
  tokenMint?: string | undefined
  policyAddress?: string | undefined
  trackingId?: string | undefined
  transactionSignature?: string | undefined
}

export interface IssuedToken {
  token: string
  /** Unix seconds */
  expiresAt: number
}

export interface CheckoutTokens {
  /**
   * @throws NotFoundError when nothing matches (yet). @throws ApiError PAYER_MISMATCH when another wallet paid in the
   *   transaction
   */
  issue(request: CheckoutRequest): Promise<IssuedToken>
  /**
   * Issues a new token for the request of an old token.
   * @throws ApiError UNAUTHORIZED for a token of another issuer, or a token that expired too long ago
   */
  refresh(token: string): Promise<IssuedToken>
}

/** Nothing revokes a token, so none lives longer than a day. */
const LONGEST_TOKEN_SECONDS = 86_400

export interface CheckoutParts {
  store: Store
  keys: CheckoutKeys
  issuer: string
  graceSeconds: number
  nowMs: () => number
}

const REQUEST_FIELDS = [
  'walletPublicKey',
  'recipient',
  'tokenMint',
  'policyAddress',
  'trackingId',
  'transactionSignature',
] as const

const toFilter = (request: CheckoutRequest): ClaimFilter => ({
  wallet: request.walletPublicKey,
  recipient: request.recipient,
  tokenMint: request.tokenMint,
  policyAddress: request.policyAddress,
  trackingId: request.trackingId,
})

const toPaymentClaim = (payment: ClaimablePayment) => ({
  signature: payment.signature,
  slot: payment.slot,
  timestamp: Math.floor(payment.occurredAt.getTime() / 1000),
  policyAddress: payment.paymentPolicy,
  gateway: payment.gateway,
  amount: payment.amount.toString(),
  memo: payment.trackingId ?? '',
  recordId: payment.recordId,
  payer: payment.payer,
  recipient: payment.recipient,
  tokenMint: payment.tokenMint,
})

const isOf =
  (policy: string) =>
  ({ paymentPolicy }: ClaimablePayment): boolean =>
    paymentPolicy === policy

/** Verifiers published before policy variants existed read `subscriptions`. */
const toSubscriptions = (claims: readonly PolicyClaim[]) =>
  claims
    .filter(({ claim }) => claim.variant === 'subscription')
    .map(({ claim: { variant: _variant, ...subscription } }) => subscription)

export function buildCheckoutTokens(parts: CheckoutParts): CheckoutTokens {
  const { store, keys, issuer } = parts
  const now = () => Math.floor(parts.nowMs() / 1000)

  const issue: CheckoutTokens['issue'] = async request => {
    const filter = toFilter(request)
    const signature = request.transactionSignature
    const claimable = () => listClaimablePayments(store, { ...filter, signature }, NEWEST_PAYMENTS)
    const { payments: known, otherPayer } = await claimable()
    if (signature !== undefined && known.length === 0) {
      if (otherPayer)
        throw new ApiError('PAYER_MISMATCH', 'Another wallet made the payment of this transaction.')
      throw new NotFoundError('This transaction holds no such payment, or it is not stored yet.')
    }
    const policies = await listClaimablePolicies(
      store,
      signature === undefined
        ? filter
        : { ...filter, policies: known.map(({ paymentPolicy }) => paymentPolicy) },
      MOST_POLICIES,
    )
    // A payment that was committed between the two reads is known to its policy alone.
    const lacksPayments =
      known.length < NEWEST_PAYMENTS &&
      policies.some(({ address, paymentCount }) => paymentCount > 0 && !known.some(isOf(address)))
    const payments = lacksPayments ? (await claimable()).payments : known
    const issuedAt = now()
    // Only a wallet's own policies hold back its proof: anybody can make a policy with anybody's tracking ID.
    const isOwn = request.walletPublicKey !== undefined || payments.length === 0
    if (isOwn && policies.some(policy => awaitsFirstPayment(policy, issuedAt)))
      throw new NotFoundError('The first payment of this policy is not stored yet.')
    const claims = policies
      .map(policy => claimOf(policy, issuedAt, parts.graceSeconds))
      .filter(claim => claim !== null)
    if (claims.length === 0 && payments.length === 0)
      throw new NotFoundError('There is no such policy and no such payment, or none is stored yet.')
    const expiresAt = tokenEndsAt(claims, issuedAt, LONGEST_TOKEN_SECONDS)
    const token = await new SignJWT({
      policies: claims.map(({ claim }) => claim),
      subscriptions: toSubscriptions(claims),
      lastPayments: payments.map(toPaymentClaim),
      // A refresh repeats this request.
      request,
    })
      .setProtectedHeader({ alg: CHECKOUT_ALGORITHM, kid: keys.current.kid, typ: 'JWT' })
      .setSubject(request.walletPublicKey ?? signature ?? `${request.recipient}-${request.trackingId}`)
      .setIssuer(issuer)
      .setAudience(CHECKOUT_AUDIENCE)
      .setIssuedAt(issuedAt)
      .setNotBefore(issuedAt)
      .setExpirationTime(expiresAt)
      .setJti(randomUUID())
      .sign(keys.current.key)
    return { token, expiresAt }
  }

  return {
    issue,
    refresh: async token => {
      const request = await readRequest(token, parts, new Date(parts.nowMs()))
      if (!request) throw new ApiError('UNAUTHORIZED', 'The token is none of ours, or it ended too long ago.')
      return issue(request)
    },
  }
}

/** The request that a token of this service was issued for; null for every other token. */
async function readRequest(
  token: string,
  { keys, issuer }: CheckoutParts,
  currentDate: Date,
): Promise<CheckoutRequest | null> {
  try {
    const { payload } = await jwtVerify(token, findVerifyingKey(keys), {
      issuer,
      audience: CHECKOUT_AUDIENCE,
      algorithms: [CHECKOUT_ALGORITHM],
      requiredClaims: ['exp', 'sub', 'request'],
      clockTolerance: REFRESHABLE_SECONDS,
      currentDate,
    })
    const sent = payload.request as Record<string, unknown>
    return Object.fromEntries(
      REQUEST_FIELDS.filter(name => typeof sent[name] === 'string').map(name => [name, sent[name] as string]),
    )
  } catch {
    return null
  }
}
