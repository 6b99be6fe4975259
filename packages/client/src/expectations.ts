// Expected payments: a server says what it expects, and a page shows what becomes of it.
import type { SocketExpectation } from '@payment-tracking/contracts/socket-messages'
import { createApiClient, type ApiClientOptions, type Schemas } from './api-client.js'
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

/** The service refused. `code` is one of docs/errors.md. */
export class ExpectPaymentError extends Error {
  constructor(
    readonly code: string,
    message: string,
    /** of EXPECTATION_EXISTS: the expectation that is there */
    readonly id?: string,
  ) {
    super(message)
    this.name = 'ExpectPaymentError'
  }
}

/**
 * Says what a gateway expects: for a server, with the gateway's token or an API key of scope `expectations`. The same call
 * again gives the same record, so a call that failed on the way may be repeated.
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
  const { data, error } = await client.POST('/v1/gateway/{gateway}/expectations', {
    params: { path: { gateway } },
    body: {
      ...terms,
      amount: amount.toString(),
      ...(expiresAt === undefined ? {} : { expiresAt: expiresAt.toISOString() }),
    },
  })
  if (data) return data
  const { code, error: sentence, id } = error as { code: string; error: string; id?: string }
  throw new ExpectPaymentError(code, sentence, id)
}

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

/**
 * Follows an expected payment, for a buyer's page: by socket, and by asking while there is no seat.
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
  const follow = (trackingId: string) =>
    watchPayments(baseUrl, {
      trackingId,
      expectation: id,
      onPayment: () => {},
      onExpectation: show,
      onReady: () => (isSubscribed = true),
      onRefused: refusal => {
        isSubscribed = false
        onRefused?.(refusal)
      },
    })
  const ask = async () => {
    try {
      const { data, response } = await client.GET('/v1/expectations/{id}', { params: { path: { id } } })
      if (isClosed) return
      if (response.status === 404 || response.status === 400) return onMissing?.()
      if (data && !isSubscribed) show(toSocket(data))
      if (data) watch ??= follow(data.trackingId)
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
