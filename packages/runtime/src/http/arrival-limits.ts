import type { ServerOptions } from 'node:http'

/** How long a request may take to arrive, headers and body. Nobody who uses the service needs longer. */
export const ARRIVAL_TIMEOUT_MS = 20_000

/** Headers are small: a client that needs longer only holds a connection open. */
const LONGEST_FOR_HEADERS_MS = 10_000

/**
 * How long a request may take to arrive, as options of a Node HTTP server. Node's own defaults let a client keep a
 * connection for five minutes by sending one byte at a time; Fastify's default has no limit.
 * @param requestTimeoutMs from the first byte of a request to the last of its body; then it is answered with 408
 */
export const arrivalLimits = (
  requestTimeoutMs = ARRIVAL_TIMEOUT_MS,
): Required<Pick<ServerOptions, 'requestTimeout' | 'headersTimeout' | 'connectionsCheckingInterval'>> => ({
  requestTimeout: requestTimeoutMs,
  headersTimeout: Math.min(requestTimeoutMs, LONGEST_FOR_HEADERS_MS),
  // Node checks for late requests at this interval: its default is 30 seconds.
  connectionsCheckingInterval: Math.min(Math.max(Math.round(requestTimeoutMs / 10), 50), 1_000),
})
