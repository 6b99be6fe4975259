// A Quint model with its own evaluator, driven step by step: Quint's simulator draws one step at random, and the search
// needs every one.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

// The simulator retries a choice whose step is not possible. The search tries each choice itself.
process.env.QUINT_RETRY_NONDET_SMALLER_THAN = '0'

/** The parts of Quint that have no public door; the upgrade guard in models.test.ts watches them. */
interface Either<T> {
  isRight(): boolean
  value: T
}
interface Value {
  toBool(): boolean
  toQuintEx(ids: { nextId(): bigint }): unknown
  readonly value?: bigint | boolean | string
  readonly map?: { entries(): Iterable<[Value | string, Value]> }
  readonly list?: Iterable<Value>
  readonly set?: Iterable<Value>
}
interface Register {
  name: string
  value: Either<Value>
}
interface VarStorage {
  vars: Map<string, Register>
  nextVars: Map<string, Register>
  nondetPicks: Map<string, Value>
  clearCaches(): void
}
interface Context {
  varStorage: VarStorage
}
type Compiled = (context: Context) => Either<Value>
interface Expression {
  kind: string
  opcode: string
  id: bigint
  args: Expression[]
}
interface Parsed {
  modules: { name: string; declarations: { name: string; kind: string; expr: Expression }[] }[]
  table: unknown
  resolver: { switchToModule(name: string): void }
  errors: { message: string }[]
}

const require = createRequire(import.meta.url)
const part = <T>(path: string) => require(`@informalsystems/quint/dist/src/${path}`) as T

const { parse } = part<{ parse: (...args: unknown[]) => Parsed }>('parsing/quintParserFrontend')
const { fileSourceResolver } = part<{
  fileSourceResolver: () => { lookupPath(folder: string, file: string): unknown }
}>('parsing/sourceResolver')
const { newIdGenerator } = part<{ newIdGenerator: () => unknown }>('idGenerator')
const { Evaluator } = part<{
  Evaluator: new (table: unknown, recorder: unknown, rng: unknown) => { builder: unknown; ctx: Context }
}>('runtime/impl/evaluator')
const { buildExpr } = part<{ buildExpr: (builder: unknown, expression: Expression) => Compiled }>(
  'runtime/impl/builder',
)
const { noExecutionListener } = part<{ noExecutionListener: unknown }>('runtime/trace')
const { expressionToString } = part<{ expressionToString: (expression: unknown) => string }>('ir/IRprinting')

/** One state: the value of the model's one variable. */
export interface State {
  value: Value
  /** the same, as Quint's evaluator keeps it */
  register: Either<Value>
}

/** A step that was possible: what was done, and the state after it. */
export interface Step {
  /** with what was chosen, such as `claim(1)` */
  action: string
  state: State
}

export interface Model {
  name: string
  init(): State
  /** Every step that is possible in a state. */
  stepsFrom(state: State): Step[]
  /** @returns the names of the invariants that a state breaks */
  broken(state: State): string[]
  show(state: State): string
}

/** @param source the text of the model, which may differ from the file's @throws Error when it does not parse */
export function loadModel(file: string, source = readFileSync(file, 'utf8')): Model {
  const path = fileSourceResolver().lookupPath('.', file)
  const parsed = parse(newIdGenerator(), file, path, source)
  if (parsed.errors.length > 0) throw new Error(parsed.errors.map(({ message }) => message).join('\n'))
  const { name, declarations } = parsed.modules.at(-1)!
  const expressionOf = (wanted: string): Expression => {
    const found = declarations.find(each => each.kind === 'def' && each.name === wanted)
    if (!found) throw new Error(`${name} has no ${wanted}`)
    return found.expr
  }

  let script: number[] = []
  let bounds: number[] = []
  const rng = {
    next: (bound: bigint): bigint => {
      bounds.push(Number(bound))
      return BigInt(script[bounds.length - 1] ?? 0)
    },
    getState: () => 0n,
    setState: () => {},
  }
  const { builder, ctx } = new Evaluator(parsed.table, noExecutionListener, rng)
  const step = expressionOf('step')
  if (step.opcode !== 'actionAny') throw new Error('step must be any { … }')
  const actions = step.args.map(branch => ({
    action: actionOf(branch),
    run: buildExpr(builder, branch),
  }))
  const initialise = buildExpr(builder, expressionOf('init'))
  const invariants = declarations
    .filter(each => each.kind === 'def' && (each as { qualifier?: string }).qualifier === 'val')
    .map(each => ({ name: each.name, holds: buildExpr(builder, each.expr) }))
  if (invariants.length === 0) throw new Error(`${name} has no invariant`)

  const { vars, nextVars } = ctx.varStorage
  const only = <T>(registers: Map<string, T>): T => {
    const all = [...registers.values()]
    if (all.length !== 1) throw new Error('a model has one variable')
    return all[0]!
  }
  const [now, next] = [only(vars), only(nextVars)]
  const unset = next.value
  const enter = (state: State) => {
    now.value = state.register
    next.value = unset
    ctx.varStorage.nondetPicks.clear()
    ctx.varStorage.clearCaches()
  }
  const reached = (): State => ({ value: next.value.value, register: next.value })
  const run = (compiled: Compiled): Value => {
    const result = compiled(ctx)
    if (!result.isRight()) throw new Error(`${name}: ${JSON.stringify(result.value)}`)
    return result.value
  }

  return {
    name,
    init() {
      next.value = unset
      run(initialise)
      return reached()
    },
    stepsFrom(state) {
      const steps: Step[] = []
      for (const { action, run: attempt } of actions) {
        script = []
        for (;;) {
          bounds = []
          enter(state)
          if (run(attempt).toBool())
            steps.push({
              action: `${action}(${[...ctx.varStorage.nondetPicks.values()].map(keyOf).join(', ')})`,
              state: reached(),
            })
          // The next script, as a counter whose digits have these bounds.
          script = bounds.map((_, at) => script[at] ?? 0)
          while (script.length > 0 && script.at(-1)! + 1 >= bounds[script.length - 1]!) script.pop()
          if (script.length === 0) break
          script[script.length - 1]! += 1
        }
      }
      return steps
    },
    broken(state) {
      enter(state)
      return invariants.filter(({ holds }) => !run(holds).toBool()).map(({ name: broken }) => broken)
    },
    show: state => expressionToString(state.value.toQuintEx({ nextId: () => 0n })),
  }
}

/** A text that two states share only when they are equal. */
export function keyOf(value: Value | string): string {
  if (typeof value === 'string') return value
  const { value: plain, map, list, set } = value
  if (plain !== undefined) return String(plain)
  if (map !== undefined)
    return `{${Array.from(map.entries(), ([key, item]) => `${keyOf(key)}:${keyOf(item)}`)
      .sort()
      .join()}}`
  if (list !== undefined) return `[${Array.from(list, keyOf).join()}]`
  if (set !== undefined) return `(${Array.from(set, keyOf).sort().join()})`
  throw new Error('a state holds something else than numbers, texts, truths, records, maps, lists and sets')
}

/** The name of the action in `nondet x = … action(x)`. */
function actionOf(expression: Expression & { expr?: Expression; name?: string }): string {
  if (expression.kind === 'let') return actionOf(expression.expr!)
  return expression.kind === 'name' ? expression.name! : expression.opcode
}
