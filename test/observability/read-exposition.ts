// The text that Prometheus scrapes, as data.

export interface Sample {
  labels: Record<string, string>
  value: number
}

export interface ExposedMetric {
  type: string
  help: string
  samples: Sample[]
}

/** @returns metrics by name; a histogram's series are under its own name, without `le` */
export function readExposition(text: string): Map<string, ExposedMetric> {
  const metrics = new Map<string, ExposedMetric>()
  let help = ''
  for (const line of text.split('\n')) {
    help = /^# HELP \S+ (.*)$/.exec(line)?.[1] ?? help
    const type = /^# TYPE (\S+) (\S+)$/.exec(line)
    if (type) metrics.set(type[1]!, { type: type[2]!, help, samples: [] })
    const sample = /^([a-z_]\w*)(?:\{(.*)\})? (\S+)/i.exec(line)
    if (!sample) continue
    const name = sample[1]!
    const metric = metrics.get(name) ?? metrics.get(name.replace(/_(bucket|sum|count)$/, ''))
    const labels = Object.fromEntries(
      [...(sample[2] ?? '').matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(match => [match[1]!, match[2]!]),
    )
    delete labels.le
    metric?.samples.push({ labels, value: Number(sample[3]) })
  }
  return metrics
}
