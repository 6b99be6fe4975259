/** Numbers of the API that are no settings. */
export const API_TUNABLES = {
  /** How long one statement may take before the answer is 503. The code then names the filter to add. */
  statementTimeoutMs: 2_000,
  /** How long a request may be in work before it is answered with 503. */
  requestDeadlineMs: 10_000,
  /**
   * Requests of one client address that may run at once on one process; others wait, none is refused. At 5 ms each, 16
   * are 3,200 requests a second.
   */
  requestsAtOncePerAddress: 16,
  /** How long a client may take nothing of its answer before its connection is closed. */
  answerStallMs: 15_000,
  /** Bytes of answers that clients have not taken, on one process; beyond it the oldest are dropped. */
  unreadBytes: 64 * 1024 * 1024,
  /** How long an answer is kept that took many statements, such as the cohorts of a large gateway. */
  costlyAnswerKeptMs: 60_000,
  /** Bytes of all such answers, on one process; beyond it the oldest are dropped. */
  costlyAnswerBytes: 32 * 1024 * 1024,
  /** Streams of all events that a client address may have open on one process. */
  streamsPerAddress: 20,
  /** Requests that may wait for the feed of one gateway, on one process; of one client address; and for all feeds. */
  feedWaitsPerGateway: 20,
  feedWaitsPerAddress: 200,
  feedWaits: 2_000,
  /** How often a process looks by itself for what no signal of Redis said, while streams are open or requests wait for feeds. */
  checkEveryMs: 2_000,
  /** How often a stream is pinged; one that misses a ping is cut at the next. */
  streamPingEveryMs: 30_000,
  /** How long the reader of a stream may take nothing before the stream is closed. */
  streamStallMs: 30_000,
}
export type ApiTunables = typeof API_TUNABLES
