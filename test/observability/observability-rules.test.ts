// The dashboard and the alerts cannot be seen here, so everything that can be known without eyes is checked: that
// Prometheus takes the rules, that each fires and is silent as it should, and that they name what exists.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findPromtool, SERVICES } from '@payment-tracking/stack'
import { parse } from 'yaml'
import t from 'tap'
import { DOC, readAnchors, readDoc, readMetricsTable } from './read-metrics-table.js'
import { withRunbook } from './write-metrics-table.js'
import { holdDocument, read as readFile, ROOT } from '../repository.js'

const read = (file: string) => readFile(`infra/observability/${file}`)

interface Rule {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: { summary: string; runbook: string; cure: string }
}
interface Panel {
  id: number
  type: string
  title: string
  description?: string
  datasource?: { type: string; uid: string }
  fieldConfig?: { defaults: { unit?: string } }
  gridPos: { x: number; y: number; w: number; h: number }
  targets?: { refId: string; expr: string }[]
}

const rules = (parse(read('alerts.yml')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  group => group.rules,
)
const dashboard = JSON.parse(read('grafana/payment-tracking.json')) as {
  uid: string
  schemaVersion: number
  templating: { list: { name: string; type: string }[] }
  panels: Panel[]
}
const expressions = [
  ...rules.map(({ expr }) => expr),
  ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
]

t.test('Prometheus takes the rules, and each fires when it should and only then', async t => {
  const path = process.env.PATH ?? ''
  const promtool = await findPromtool({
    cacheDir: join(ROOT, 'node_modules/.cache/payment-tracking/servers'),
    path,
  })
  if (typeof promtool === 'string') {
    console.error(`SKIPPED: the alert rules are not checked by promtool: ${promtool}`)
    t.pass('promtool cannot be had', { skip: promtool })
    return
  }
  const run = (...args: string[]) =>
    promisify(execFile)(promtool.file, args, { cwd: join(ROOT, 'infra/observability') })
  for (const args of [
    ['check', 'rules', 'alerts.yml'],
    ['check', 'config', 'prometheus.yml'],
    ['test', 'rules', 'alerts.test.yml'],
  ]) {
    await t.resolves(run(...args), args.join(' '))
  }
})

t.test('each alert is tested both ways, has a severity, and its section of the runbook', async t => {
  const tests = read('alerts.test.yml')
  const anchors = readAnchors()
  for (const { alert, labels, annotations } of rules) {
    t.match(tests, `alertname: ${alert} }`, `${alert} is silent when it should be`)
    t.match(tests, `alertname="${alert}", alertstate="firing"`, `${alert} fires when it should`)
    t.match(labels.severity, /^(page|ticket)$/)
    const [file, anchor] = annotations.runbook.split('#')
    t.equal(file, 'docs/observability.md')
    t.ok(anchors.includes(anchor!), `there is a section ${anchor}`)
    t.match(annotations.cure, /\w.*[.?]$/, `${alert} says what to do`)
  }
})

t.test('the runbook says of each alert what the alert says', async t => {
  holdDocument(t, DOC, withRunbook(readDoc()))
})

t.test('dashboard and alerts ask for metrics, labels and jobs that exist', async t => {
  const table = new Map(readMetricsTable().map(metric => [metric.name, metric]))
  for (const expr of expressions) {
    for (const [, name, selector = ''] of expr.matchAll(
      /\b((?:payment_tracking|nodejs|process)_\w+)(?:\{([^}]*)\})?/g,
    )) {
      const metric = table.get(name!) ?? table.get(name!.replace(/_(bucket|count|sum)$/, ''))
      if (!metric) {
        t.fail(`${name} is not in the table: ${expr}`)
        continue
      }
      if (!table.has(name!)) t.equal(metric.type, 'histogram', `${name} is a series of a histogram`)
      for (const [, label] of selector.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)) {
        const known = [...metric.labels, 'job', 'instance', 'le']
        t.ok(known.includes(label!), `${name} has the label ${label}`)
      }
    }
  }
  const jobs = (parse(read('prometheus.yml')) as { scrape_configs: { job_name: string }[] }).scrape_configs
  t.same(jobs.map(({ job_name: name }) => name).sort(), [...SERVICES].sort(), 'every service is scraped')
})

t.test('Grafana can show the dashboard', async t => {
  const { panels } = dashboard
  t.ok(dashboard.schemaVersion >= 36)
  t.ok(dashboard.uid)
  t.match(dashboard.templating.list, [{ name: 'datasource', type: 'datasource' }])
  t.equal(new Set(panels.map(({ id }) => id)).size, panels.length, 'panels have ids of their own')
  for (const { title, type, datasource, description, fieldConfig, targets = [], gridPos } of panels) {
    t.ok(gridPos.x + gridPos.w <= 24, `${title} fits the grid`)
    if (type === 'row') continue
    t.equal(datasource?.uid, '${datasource}', `${title} asks the chosen Prometheus`)
    t.ok(description, `${title} says what it shows`)
    t.ok(fieldConfig?.defaults.unit, `${title} has a unit`)
    t.ok(targets.length > 0 && new Set(targets.map(({ refId }) => refId)).size === targets.length, title)
  }
  const covers = (a: Panel['gridPos'], b: Panel['gridPos']) =>
    a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h
  const overlaps = panels.filter((a, at) => panels.slice(at + 1).some(b => covers(a.gridPos, b.gridPos)))
  t.same(overlaps, [], 'no panel lies on another')
})

t.test('how long something waits can be seen, and not only when it alerts', async t => {
  const ages = readMetricsTable().filter(({ name, type }) => type === 'gauge' && /oldest|_age_/.test(name))
  t.ok(ages.length > 3, 'the table has ages')
  const drawn = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)).join('\n')
  for (const { name } of ages) t.ok(drawn.includes(name), `a panel draws ${name}`)
})
