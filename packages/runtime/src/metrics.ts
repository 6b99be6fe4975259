import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

/** One process's metrics. Names are `payment_tracking_<what>_<unit>`; docs list them. */
export interface Metrics {
  readonly registry: Registry
  counter<L extends string = never>(name: string, help: string, labels?: readonly L[]): Counter<L>
  gauge<L extends string = never>(name: string, help: string, labels?: readonly L[]): Gauge<L>
  /** @param buckets upper bounds, in the unit the name ends in */
  histogram<L extends string = never>(
    name: string,
    help: string,
    buckets: number[],
    labels?: readonly L[],
  ): Histogram<L>
  /**
   * Reads figures whenever somebody looks, instead of on a timer. Figures that cannot be read, or not within
   * two seconds, keep their last value: a scrape never fails or hangs with a server that is away.
   * @param gauge registered; scrapes wait for its `read`, which may set other gauges as well
   */
  onScrape(gauge: Gauge<string>, read: () => Promise<unknown> | void): void
}

const READ_TIMEOUT_MS = 2_000

async function readInTime(read: () => Promise<unknown> | void): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>(resolve => (timer = setTimeout(resolve, READ_TIMEOUT_MS)))
  try {
    await Promise.race([read(), late])
  } catch {
    // The gauge `dependency_up` says that the server is away.
  } finally {
    clearTimeout(timer)
  }
}

/** A registry of its own per process, with Node's own figures (event loop, memory, GC) in it. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  return {
    registry,
    counter: (name, help, labels = []) =>
      new Counter({ name: `payment_tracking_${name}`, help, labelNames: [...labels], registers }),
    gauge: (name, help, labels = []) =>
      new Gauge({ name: `payment_tracking_${name}`, help, labelNames: [...labels], registers }),
    histogram: (name, help, buckets, labels = []) =>
      new Histogram({ name: `payment_tracking_${name}`, help, buckets, labelNames: [...labels], registers }),
    onScrape: (gauge, read) => void Object.assign(gauge, { collect: () => readInTime(read) }),
  }
}
