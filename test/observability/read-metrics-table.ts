// docs/observability.md as data: its table of metrics, and the sections of its runbook.
import { read } from '../repository.js'

export interface DocumentedMetric {
  name: string
  type: string
  labels: string[]
  /** `all` or names of services */
  services: string[]
  cure: string
}

export const DOC = 'docs/observability.md'

export const readDoc = (): string => read(DOC)

/** The rows whose first cell is a metric's name. */
export const readMetricsTable = (): DocumentedMetric[] =>
  readDoc()
    .split('\n')
    .map(line => /^\| `((?:payment_tracking|nodejs|process)_\w+)` *\|(.*)\|$/.exec(line))
    .filter(match => match !== null)
    .map(([, name, rest]) => {
      const [type = '', services = '', cure = ''] = rest!.split('|').map(cell => cell.trim())
      const [kind = '', labels = ''] = type.split(' by ')
      const list = (cell: string) => (cell === '' ? [] : cell.replaceAll('`', '').split(/, */))
      return { name: name!, type: kind, labels: list(labels), services: list(services), cure }
    })

/** The runbook's sections, as the anchors that alerts link to. */
export const readAnchors = (): string[] =>
  [...readDoc().matchAll(/^#+ (.+)$/gm)].map(match => match[1]!.toLowerCase().replace(/[^\w]+/g, '-'))
