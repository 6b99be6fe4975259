// Expected payments: a server says what it expects, and a page shows what becomes of it.
import type { SocketExpectation } from '@payment-tracking/contracts/socket-messages'
import { createApiClient, type ApiClientOptions, type Schemas } from './api-client.js'
import { isServiceRefusal } from './refusal.js'
import { watchPayments, type WatchOptions } from './watch-payments.js'

export interface ExpectPaymentOptions extends ApiClientOptions {
  gateway: string
  trackingId: string
  recipient: string
  tokenMint: string
  /** in the token's smallest unit */
  amount: bigint | string
  /** until when it must be paid; without it for ever */
  expiresAt?: Date
  /** your own, at most 64 bytes; told to your gateway alone */
  reference?: string
}

/**
 * The service refused: `code` is one of docs/errors.md. Or the service's answer did not arrive: `code` is `UNKNOWN`, and
 * nobody knows whether the service expects the payment until the same call is made again.
 */
export class ExpectPaymentError extends Error {
  constructor(
    readonly code: string,
    message: string,
    /** of EXPECTATION_EXISTS: the expectation that is there */
    readonly id?: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.name = 'ExpectPaymentError'
  }
}

/**
 * Says what a gateway expects: for a server, with the gateway's token or an API key of scope `expectations`. The same call
 * again gives the same record, so a call that failed on the way (`UNKNOWN`) may be repeated.
 * @throws ExpectPaymentError
 */
export async function expectPayment(
  baseUrl: string,
  { gateway, token, headers, amount, expiresAt, ...terms }: ExpectPaymentOptions,
): Promise<Schemas['Expectation']> {
  const client = createApiClient(baseUrl, {
    ...(token === undefined ? {} : { token }),
    ...(headers === undefined ? {} : { headers }),
  })
  const body = {
    ...terms,
    amount: amount.toString(),
    ...(expiresAt === undefined ? {} : { expiresAt: expiresAt.toISOString() }),
  }
  const { data, error, response } = await client
    .POST('/v1/gateway/{gateway}/expectations', { params: { path: { gateway } }, body })
    .catch((cause: unknown) => {
      throw unknownOutcome(`No answer arrived (${String(cause)}).`, cause)
    })
  if (isServiceRefusal(error)) throw new ExpectPaymentError(error.code, error.error, error.id)
  if (response.ok && typeof data?.id === 'string') return data
  throw unknownOutcome(`${response.status} of ${response.url} is no answer of the service.`)
}

const unknownOutcome = (what: string, cause?: unknown): ExpectPaymentError =>
  new ExpectPaymentError(
    'UNKNOWN',
    `${what} It is not known whether the payment is expected: ask the same again.`,
    undefined,
    { cause },
  )

export interface WatchExpectationOptions extends Pick<WatchOptions, 'onRefused'> {
  /** names the expectation; whoever knows it may watch it */
  id: string
  /** the record at first, and after each change of its state; may come twice */
  onChange: (expectation: SocketExpectation) => void
  /** There is no such expectation. */
  onMissing?: () => void
}

/** How often a page that has no seat asks. */
const ASK_EVERY_MS = 5_000
/** How long a page waits for an answer. */
const ASK_TIMEOUT_MS = 15_000

/**
 * Follows an expected payment, for a buyer's page: by socket, and by asking while there is no seat or no connection.
 * @param baseUrl the service's root, the same as for REST
 */
export function watchExpectation(
  baseUrl: string,
  { id, onChange, onMissing, onRefused }: WatchExpectationOptions,
): { close(): void } {
  const client = createApiClient(baseUrl)
  let watch: { close(): void } | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let isSubscribed = false
  let isClosed = false
  const show = (record: SocketExpectation) => {
    if (!isClosed) onChange(record)
  }
  const follow = (record: Schemas['PublicExpectation']) =>
    watchPayments(baseUrl, {
      trackingId: record.trackingId,
      expectation: record.id,
      onPayment: () => {},
      onExpectation: show,
      onReady: () => (isSubscribed = true),
      onLost: () => (isSubscribed = false),
      onRefused: refusal => {
        isSubscribed = false
        onRefused?.(refusal)
      },
    })
  const ask = async () => {
    try {
      const { data, error, response } = await client.GET('/v1/expectations/{id}', {
        params: { path: { id } },
        signal: AbortSignal.timeout(ASK_TIMEOUT_MS),
      })
      if (isClosed) return
      // A proxy says 404, too, while pods are replaced.
      if (isServiceRefusal(error) && [400, 404].includes(response.status)) return onMissing?.()
      if (typeof data?.id === 'string') {
        if (!isSubscribed) show(toSocket(data))
        watch ??= follow(data)
      }
    } catch {
      // The service cannot be reached now.
    }
    wait()
  }
  const wait = (): void => {
    if (!isClosed) timer = setTimeout(() => void (isSubscribed ? wait() : ask()), ASK_EVERY_MS)
  }
  void ask()
  return {
    close() {
      isClosed = true
      clearTimeout(timer)
      watch?.close()
    },
  }
}

const toSocket = (record: Schemas['PublicExpectation']): SocketExpectation => ({
  ...record,
  amount: Number(record.amount),
  paidAmount: Number(record.paidAmount),
  paymentCount: Number(record.paymentCount),
})
