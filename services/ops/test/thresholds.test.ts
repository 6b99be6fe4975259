// What is red on the dashboard, and when somebody is called.
import { readFileSync } from 'node:fs'
import t from 'tap'
import { figureCard } from '../src/html/figure.js'
import { THRESHOLDS } from '../src/thresholds.js'

const ALERTS = readFileSync(new URL('../../../infra/observability/alerts.yml', import.meta.url), 'utf8')

t.test('a threshold is that of its alert', t => {
  for (const [name, alert] of [
    ['oldestUndelivered', 'DeliveryForgotten'],
    ['quarantined', 'RowsQuarantined'],
    ['chainGaps', 'ChainGap'],
    ['streamGaps', 'StreamGap'],
    ['checkpointAge', 'ChainNotFollowed'],
  ] as const) {
    const [, expression] = new RegExp(`alert: PaymentTracking${alert}\\n +expr: (.*)`).exec(ALERTS)!
    t.equal(Number(/> (\d+)$/.exec(expression!)![1]), THRESHOLDS[name].most, name)
  }
  t.end()
})

t.test('a figure is red past its threshold, and not at it', t => {
  const card = (value: number | null, orMore = false) =>
    figureCard({ name: 'Late', value, orMore, href: '/', threshold: { most: 60, unit: 's' } }).text
  t.notMatch(card(60), /past|act/)
  t.match(card(90), /class="card past"[^]*<b>1 min<\/b>[^]*act: red above 1 min/)
  t.match(card(10, true), /past[^]*10 s or more/, 'what was not counted')
  t.notMatch(card(null), /past|act/, 'what is not known')
  t.end()
})
