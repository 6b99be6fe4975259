// Quint's own evaluator takes no step that the search of the models does not take.
import { execFile } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { loadModel } from './engine/compile-model.js'
import { boundedSource, fileOf } from './engine/models.js'
import { keyOf } from './engine/quint-values.js'
import { PLANS } from './plans.js'

const QUINT = fileURLToPath(
  new URL('../../node_modules/@informalsystems/quint/dist/src/cli.js', import.meta.url),
)
const OPTIONS = [
  '--backend=typescript',
  '--mbt',
  '--seed=1',
  '--max-samples=5',
  '--n-traces=5',
  '--max-steps=25',
]

/** A value of Apalache's trace format (ITF), which Quint writes. */
type Itf = string | number | boolean | Itf[] | { [name: string]: Itf }

/** As `keyOf` of quint-values.ts. */
function keyOfItf(value: Itf): string {
  if (typeof value !== 'object') return String(value)
  if (Array.isArray(value)) return `[${value.map(keyOfItf).join()}]`
  if (typeof value['#bigint'] === 'string') return value['#bigint']
  const { '#tup': tuple, '#set': set, '#map': map } = value as Record<string, Itf[]>
  if (tuple) return keyOfItf(tuple)
  if (set) return `(${set.map(keyOfItf).sort().join()})`
  if (map) {
    const entries = (map as [Itf, Itf][]).map(([key, item]) => `${keyOfItf(key)}:${keyOfItf(item)}`)
    return `<${entries.sort().join()}>`
  }
  const names = Object.keys(value).sort()
  return `{${names.map(name => `${name}:${keyOfItf((value as Record<string, Itf>)[name]!)}`).join()}}`
}

for (const { name, searches } of PLANS)
  t.test(`${name}: the search takes each step that Quint's own evaluator takes`, async t => {
    const source = boundedSource(name, searches[0]!)
    const folder = t.testdir({})
    const file = join(folder, 'model.qnt')
    await writeFile(file, source)
    const out = `--out-itf=${join(folder, '{seq}.itf.json')}`
    await promisify(execFile)(process.execPath, [QUINT, 'run', file, ...OPTIONS, out], { maxBuffer: 1 << 28 })
    const model = loadModel(fileOf(name), source)
    let steps = 0
    for (const written of (await readdir(folder)).filter(each => each.endsWith('.itf.json'))) {
      let state = model.init()
      const { states } = JSON.parse(await readFile(join(folder, written), 'utf8')) as {
        states: { s: Itf; 'mbt::actionTaken': string }[]
      }
      for (const { s, 'mbt::actionTaken': action } of states.slice(1)) {
        const next = model.stepsFrom(state).find(step => keyOf(step.state) === keyOfItf(s))
        if (!next) return t.fail(`${action} of Quint is no step of the search`)
        state = next.state
        steps += 1
      }
    }
    t.ok(steps > 40, `${steps} steps`)
  })
