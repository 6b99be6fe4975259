// A Quint model as JavaScript functions, driven step by step: Quint's simulator draws one step at random, and the search
// needs every one, some hundred thousand times. Quint parses the model; replays show that its simulator takes no step that
// is not one of these.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { RUNTIME, type Value } from './quint-values.js'

/** The parts of Quint that have no public door; the upgrade guard in models.test.ts watches them. */
type Expression =
  | { kind: 'name'; name: string }
  | { kind: 'bool' | 'int' | 'str'; value: boolean | bigint | string }
  | { kind: 'app'; opcode: string; args: Expression[] }
  | { kind: 'lambda'; params: { name: string }[]; expr: Expression }
  | { kind: 'let'; opdef: Declaration; expr: Expression }
interface Declaration {
  kind: string
  name: string
  qualifier: 'pureval' | 'puredef' | 'val' | 'def' | 'action' | 'nondet'
  expr: Expression
}
interface Parsed {
  modules: { name: string; declarations: Declaration[] }[]
  errors: { message: string }[]
}

const require = createRequire(import.meta.url)
const part = <T>(path: string) => require(`@informalsystems/quint/dist/src/${path}`) as T
const { parse } = part<{ parse: (...args: unknown[]) => Parsed }>('parsing/quintParserFrontend')
const { fileSourceResolver } = part<{
  fileSourceResolver: () => { lookupPath(folder: string, file: string): unknown }
}>('parsing/sourceResolver')
const { newIdGenerator } = part<{ newIdGenerator: () => unknown }>('idGenerator')

/** The value of the model's one variable. */
export type State = Value

/** A step that was possible: what was done, and the state after it. */
export interface Step {
  /** with what was chosen, such as `claim(1)` */
  action: string
  /** what was chosen, by name; computed only where it is asked for */
  picks: () => Readonly<Record<string, Value>>
  state: State
}

export interface Model {
  name: string
  init(): State
  /** Every step that is possible in a state. */
  stepsFrom(state: State): Step[]
  /** @returns the names of the invariants that a state breaks */
  broken(state: State): string[]
}

/** What the compiled text answers. */
interface Compiled {
  init: () => State
  steps: (state: State, found: Step[]) => void
  invariants: Record<string, (state: State) => boolean>
}

/** @param source the text of the model, which may differ from the file's @throws Error when it does not parse */
export function loadModel(file: string, source = readFileSync(file, 'utf8')): Model {
  const path = fileSourceResolver().lookupPath('.', file)
  const parsed = parse(newIdGenerator(), file, path, source)
  if (parsed.errors.length > 0) throw new Error(parsed.errors.map(({ message }) => message).join('\n'))
  const { name, declarations } = parsed.modules.at(-1)!
  if (declarations.filter(({ kind }) => kind === 'var').length !== 1)
    throw new Error('a model has one variable')
  const definitions = declarations.filter(({ kind }) => kind === 'def')
  if (!definitions.some(({ qualifier }) => qualifier === 'val')) throw new Error(`${name} has no invariant`)
  const text = new Compiler(declarations).compile(definitions)
  // The text comes from a file of this repository.
  // oxlint-disable-next-line typescript/no-implied-eval
  const { init, steps, invariants } = new Function('$', text)(RUNTIME) as Compiled
  return {
    name,
    init,
    stepsFrom(state) {
      const found: Step[] = []
      steps(state, found)
      return found
    },
    broken: state =>
      Object.entries(invariants)
        .filter(([, holds]) => !holds(state))
        .map(([broken]) => broken),
  }
}

/** What a local name is: a parameter, or a `val` that is computed when it is first needed. */
type Scope = ReadonlyMap<string, 'parameter' | 'lazy' | 'operator'>

class Compiler {
  readonly #globals: ReadonlyMap<string, Declaration>

  constructor(declarations: readonly Declaration[]) {
    this.#globals = new Map(declarations.map(each => [each.name, each]))
  }

  compile(definitions: readonly Declaration[]): string {
    const step = this.#globals.get('step')?.expr
    if (step?.kind !== 'app' || step.opcode !== 'actionAny') throw new Error('step must be any { … }')
    const texts = definitions.filter(({ name }) => name !== 'step').map(each => this.#define(each))
    const branches = step.args.map(branch => this.#branch(branch, new Map(), []))
    const invariants = definitions
      .filter(({ qualifier }) => qualifier === 'val')
      .map(({ name }) => `${name}: state => (now = state, d_${name}())`)
    return `let now, next
${texts.join('\n')}
return {
  init() { d_init(); return next },
  steps(state, found) { now = state; ${branches.join('\n')} },
  invariants: { ${invariants.join(', ')} },
}`
  }

  #define({ name, qualifier, expr }: Declaration): string {
    if (qualifier === 'pureval') return `const d_${name} = $.lazy(() => ${this.#text(expr, new Map())})`
    return expr.kind === 'lambda'
      ? `const d_${name} = ${this.#text(expr, new Map())}`
      : `const d_${name} = () => ${this.#text(expr, new Map())}`
  }

  /** One branch of `step`: a loop for each `nondet`. */
  #branch(expression: Expression, scope: Scope, chosen: readonly string[]): string {
    if (expression.kind === 'let' && expression.opdef.qualifier === 'nondet') {
      const { name, expr } = expression.opdef
      if (expr.kind !== 'app' || expr.opcode !== 'oneOf') throw new Error('nondet x = ….oneOf()')
      const inner = this.#branch(expression.expr, new Map([...scope, [name, 'parameter']]), [...chosen, name])
      return `for (const l_${name} of ${this.#text(expr.args[0]!, scope)}.items()) { ${inner} }`
    }
    const action =
      expression.kind === 'name' ? expression.name : expression.kind === 'app' ? expression.opcode : ''
    const shown = chosen.map(name => `$.keyOf(l_${name})`).join(`+', '+`) || `''`
    const picks = chosen.map(name => `${name}: l_${name}`).join(', ')
    return `if (${this.#text(expression, scope)})
      found.push({ action: '${action}(' + ${shown} + ')', picks: () => ({ ${picks} }), state: next })`
  }

  #text(expression: Expression, scope: Scope): string {
    switch (expression.kind) {
      case 'bool':
      case 'int':
        return String(expression.value)
      case 'str':
        return JSON.stringify(expression.value)
      case 'name':
        return this.#nameText(expression.name, scope)
      case 'lambda': {
        const names = expression.params.map(({ name }, at) => (name === '_' ? `unused${at}` : name))
        const inner: Scope = new Map([...scope, ...names.map(name => [name, 'parameter'] as const)])
        return `((${names.map(name => `l_${name}`).join(', ')}) => ${this.#text(expression.expr, inner)})`
      }
      case 'let': {
        const { name, expr } = expression.opdef
        const isOperator = expr.kind === 'lambda'
        const inner: Scope = new Map([...scope, [name, isOperator ? 'operator' : 'lazy']])
        const value = this.#text(expr, scope)
        return `(() => { const l_${name} = ${isOperator ? value : `$.lazy(() => ${value})`}; return ${this.#text(expression.expr, inner)} })()`
      }
      case 'app':
        return this.#callText(expression, scope)
    }
  }

  #nameText(name: string, scope: Scope): string {
    const local = scope.get(name)
    if (local) return local === 'lazy' ? `l_${name}()` : `l_${name}`
    const global = this.#globals.get(name)
    if (!global) throw new Error(`the model uses ${name}, which the search does not know`)
    if (global.kind === 'var') return 'now'
    return global.expr.kind === 'lambda' ? `d_${name}` : `d_${name}()`
  }

  #callText({ opcode, args }: { opcode: string; args: Expression[] }, scope: Scope): string {
    const text = (at: number) => this.#text(args[at]!, scope)
    const all = () => args.map((_, at) => text(at))
    const operator = OPERATORS[opcode]
    if (scope.has(opcode)) return `l_${opcode}(${all().join(', ')})`
    if (this.#globals.has(opcode)) return `d_${opcode}(${all().join(', ')})`
    if (operator) return `(${all().join(` ${operator} `)})`
    switch (opcode) {
      case 'not':
        return `!${text(0)}`
      case 'iuminus':
        return `-${text(0)}`
      case 'implies':
        return `(!${text(0)} || ${text(1)})`
      case 'ite':
        return `(${text(0)} ? ${text(1)} : ${text(2)})`
      case 'assign':
        return `(next = ${text(1)}, true)`
      case 'field':
        return `${text(0)}.value.${(args[1] as { value: string }).value}`
      default:
        if (!(opcode in RUNTIME)) throw new Error(`the model uses ${opcode}, which the search does not know`)
        return `$.${opcode}(${all().join(', ')})`
    }
  }
}

const OPERATORS: Readonly<Record<string, string>> = {
  and: '&&',
  or: '||',
  actionAll: '&&',
  iadd: '+',
  isub: '-',
  ilt: '<',
  ilte: '<=',
  igt: '>',
  igte: '>=',
}
