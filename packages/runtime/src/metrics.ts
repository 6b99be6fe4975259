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
  }
}
