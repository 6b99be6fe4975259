// The table of metrics in docs/observability.md, from what running services expose and from the alerts.
import { parse } from 'yaml'
import { drawTable, replaceTable } from '../documents/table.js'
import type { ExposedMetric } from './read-exposition.js'
import { readDoc, readMetricsTable } from './read-metrics-table.js'
import { read } from '../repository.js'

interface Rules {
  groups: { rules: { alert: string; expr: string; annotations: { runbook: string; cure: string } }[] }[]
}
const { groups } = parse(read('infra/observability/alerts.yml')) as Rules

/** @returns links to the sections of the runbook whose alerts read the metric */
function runbookOf(name: string): string {
  const reads = new RegExp(`\\b${name}(_bucket|_count|_sum)?\\b`)
  const anchors = groups
    .flatMap(({ rules }) => rules)
    .filter(({ expr }) => reads.test(expr))
    .map(({ annotations }) => annotations.runbook.split('#')[1]!)
  return [...new Set(anchors)].map(anchor => `[${anchor.replaceAll('-', ' ')}](#${anchor})`).join(', ')
}

/** Figures that prom-client has of Node itself, and what to do about each. */
const OF_NODE = [
  ['metric', 'type', 'service', 'what to do when it is bad'],
  [
    '`nodejs_eventloop_lag_p99_seconds`',
    'gauge',
    'all',
    'above 0.1: [event loop blocked](#event-loop-blocked)',
  ],
  ['`process_start_time_seconds`', 'gauge', 'all', 'changes often: [restarts](#restarts)'],
  ['`process_resident_memory_bytes`', 'gauge', 'all', 'near the memory limit: look for what grew'],
  ['`process_cpu_seconds_total`', 'counter', 'all', 'at the CPU limit: add processes'],
  ['`process_open_fds`', 'gauge', 'all', 'near `process_max_fds`: raise the limit; two for each socket'],
]

/** @returns the document with the table of Node's figures, and a section for each anchor that alerts name, and what each alert there asks to do */
export function withRunbook(document: string): string {
  const sections = new Map<string, string[]>()
  for (const { alert, annotations } of groups.flatMap(({ rules }) => rules)) {
    const anchor = annotations.runbook.split('#')[1]!
    sections.set(anchor, [...(sections.get(anchor) ?? []), `\`${alert}\`: ${annotations.cure}`])
  }
  const titleOf = (anchor: string) => anchor[0]!.toUpperCase() + anchor.slice(1).replaceAll('-', ' ')
  const texts = [...sections].map(([anchor, cures]) => `### ${titleOf(anchor)}\n\n${cures.join('\n\n')}`)
  return replaceTable(replaceTable(document, 1, drawTable(OF_NODE)), 2, texts.join('\n\n'))
}

/** @param exposed metrics by service */
function rowsOf(exposed: ReadonlyMap<string, ReadonlyMap<string, ExposedMetric>>): string[][] {
  const names = new Set([...exposed.values()].flatMap(metrics => [...metrics.keys()]))
  // A metric that counted nothing yet shows no labels: those that the table knows stay.
  const known = new Map(readMetricsTable().map(({ name, labels }) => [name, labels]))
  return [...names]
    .filter(name => name.startsWith('payment_tracking_'))
    .map(name => {
      const services = [...exposed.keys()].filter(service => exposed.get(service)!.has(name))
      const { type, help } = exposed.get(services[0]!)!.get(name)!
      const shown = services.flatMap(service => exposed.get(service)!.get(name)!.samples)
      const labels = new Set([
        ...(known.get(name) ?? []),
        ...shown.flatMap(sample => Object.keys(sample.labels)),
      ])
      const by = [...labels].map(label => `\`${label}\``).join(', ')
      return [
        `\`${name}\``,
        by === '' ? type : `${type} by ${by}`,
        services.length === exposed.size ? 'all' : services.join(', '),
        help[0]!.toLowerCase() + help.slice(1),
        runbookOf(name),
      ]
    })
}

export const withMetricsTable = (exposed: Parameters<typeof rowsOf>[0]): string =>
  replaceTable(
    readDoc(),
    0,
    drawTable([['metric', 'type', 'service', 'what it says', 'when it is bad'], ...rowsOf(exposed)]),
  )
