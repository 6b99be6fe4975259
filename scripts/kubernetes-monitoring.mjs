// `node scripts/kubernetes-monitoring.mjs [--write]`: compares the alerts and the dashboard of infra/kubernetes with
// those of infra/observability, or makes them. Kustomize reads no file outside of its own folder.
import { readFileSync, writeFileSync } from 'node:fs'
import { parse, stringify } from 'yaml'

const SOURCE = new URL('../infra/observability/', import.meta.url)
const TARGET = new URL('../infra/kubernetes/components/prometheus-rule/', import.meta.url)

const read = url => {
  try {
    return readFileSync(url, 'utf8')
  } catch {
    return undefined
  }
}

const rule = {
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'PrometheusRule',
  metadata: { name: 'payment-tracking' },
  spec: parse(read(new URL('alerts.yml', SOURCE))),
}
const files = {
  'rules.yaml': `# Made from infra/observability/alerts.yml by scripts/kubernetes-monitoring.mjs.\n${stringify(rule, { lineWidth: 0 })}`,
  'dashboard.json': read(new URL('grafana/payment-tracking.json', SOURCE)),
}
let differs = false
for (const [name, text] of Object.entries(files)) {
  const file = new URL(name, TARGET)
  if (read(file) === text) continue
  differs = true
  if (process.argv.includes('--write')) writeFileSync(file, text)
  else
    console.error(
      `${name} is not what infra/observability says; run node scripts/kubernetes-monitoring.mjs --write`,
    )
}
process.exitCode = differs && !process.argv.includes('--write') ? 1 : 0
