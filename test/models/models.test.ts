// The models stay short, and name only what the code has.
import { DELIVERY_STATES } from '@payment-tracking/domain'
import t from 'tap'
import { fileOf, searchModel, searchMutant, sourceOf } from './engine/models.js'
import { loadModel } from './engine/compile-model.js'
import { PLANS } from './plans.js'
import { drawTable, replaceTables } from '../documents/table.js'
import { files, holdDocument, read } from '../repository.js'

const MOST_LINES = 250

const code = files
  .filter(file => /^(packages|services)\/[\w-]+\/src\/.*\.ts$|\.sql$/.test(file))
  .map(read)
  .join('\n')

for (const plan of PLANS) {
  const source = sourceOf(plan.name)
  const comments = [...source.matchAll(/\/\/.*$/gm)].map(([comment]) => comment).join('\n')

  t.test(`${plan.name}: functions and columns that its comments name are in the code`, async t => {
    t.ok(source.trimEnd().split('\n').length <= MOST_LINES, `at most ${MOST_LINES} lines`)
    const names = [...comments.matchAll(/\b([a-z]+[A-Z]\w*|[a-z]+_[a-z_]+)\b/g)].map(([name]) => name)
    t.ok(names.length >= 8, names.join(', '))
    for (const name of names) t.ok(new RegExp(`\\b${name}\\b`).test(code), name)
    for (const [path] of comments.matchAll(/\b(packages|services)\/[\w/-]+/g))
      t.ok(
        files.some(file => file.startsWith(path)),
        path,
      )
  })

  t.test(`${plan.name}: each text that a mutant changes is there once`, async t => {
    t.ok(plan.mutants.length >= 6)
    for (const { name, find } of plan.mutants) t.equal(source.split(find).length, 2, name)
  })
}

t.test('deliveries: each state of the code is in the model', async t => {
  for (const state of DELIVERY_STATES) t.match(sourceOf('deliveries'), `"${state}"`)
})

t.test('upgrade guard: the parts of Quint that have no public door', async t => {
  const model = loadModel(fileOf('deliveries'))
  const first = model.init()
  t.same(model.broken(first), [])
  t.same(
    model.stepsFrom(first).map(({ action }) => action),
    ['claim(1)', 'claim(2)', 'defer(1)', 'defer(2)', 'redeliver(1)', 'redeliver(2)', 'turnOff()'],
  )
  const [plan] = PLANS
  const found = searchMutant(plan!, plan!.mutants[0]!)
  t.match(found, { violation: { trace: ['claim(1)', 'crash(1)'] } }, 'by a shortest trace')
  const { states, violation } = searchModel(plan!, {
    DELIVERIES: 'Set(1)',
    WORKERS: 'Set(1)',
    REDELIVERIES: '0',
  })
  t.equal(violation, null)
  t.ok(states > 100, `${states} states`)
})

t.test('docs/reliability.md lists the promises of the models', async t => {
  const rows = PLANS.flatMap(({ name }) =>
    [...sourceOf(name).matchAll(/((?:^ {2}\/\/\/ .*\n)+) {2}val (\w+) = /gm)].map(([, comment, promise]) => [
      comment!
        .replaceAll(/^ *\/\/\/ /gm, '')
        .trim()
        .replaceAll('\n', ' ')
        .replace(/\.$/, ''),
      `${name}: \`${promise}\``,
    ]),
  )
  t.ok(rows.length > 12, `${rows.length} promises`)
  const table = drawTable([['promise', 'model'], ...rows])
  holdDocument(t, 'docs/reliability.md', replaceTables(read('docs/reliability.md'), [table]))
})
