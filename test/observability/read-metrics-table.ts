// docs/observability.md as data: its table of metrics, and the sections of its runbook.
import { read } from '../repository.js'

export const DOC = 'docs/observability.md'

export const readDoc = (): string => read(DOC)

/** The rows whose first cell is a metric's name; their services are `all` or names. */
export const readMetricsTable = () =>
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
