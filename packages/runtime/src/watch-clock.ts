// The clock of this process beside that of Postgres: webhooks, tokens and sessions are dated by the process.
import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceError } from './error.js'
import type { ServiceContext } from './lifecycle.js'

/** Receivers of webhooks and verifiers of tokens allow little more. */
const MAX_SKEW_SECONDS = 5
/** A Postgres that is frozen does not hold up a start for longer. */
const PATIENCE_MS = 5_000

/** At the start: the machine's clock is more than 5 s off Postgres' clock. */
export class ClockSkewError extends ServiceError {
  readonly code = 'CLOCK_SKEW'
  readonly retry = 'never'

  constructor(skewSeconds: number) {
    const side = skewSeconds > 0 ? 'ahead of' : 'behind'
    super(
      `the clock of this machine is ${Math.abs(skewSeconds).toFixed(1)} s ${side} the clock of Postgres, and ` +
        `${MAX_SKEW_SECONDS} s are allowed: set both by NTP, then start again`,
    )
  }
}

/**
 * Shows the skew on `/metrics`, measured at each scrape, and refuses to start with a clock that is off.
 * @param measure how many seconds this process' clock is ahead of Postgres' clock; negative when behind
 * @throws ClockSkewError over 5 s. While Postgres is away nothing is known, and the service starts.
 */
export async function watchClock(context: ServiceContext, measure: () => Promise<number>): Promise<void> {
  const gauge = context.metrics.gauge('clock_skew_seconds', "How far the clock is ahead of Postgres' clock")
  context.metrics.onScrape(gauge, async () => gauge.set(await measure()))
  const skew = await Promise.race([measure().catch(() => 0), sleep(PATIENCE_MS, 0, { ref: false })])
  if (Math.abs(skew) > MAX_SKEW_SECONDS) throw new ClockSkewError(skew)
}
