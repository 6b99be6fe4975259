// The store's source as declarations and who uses whom, as the compiler finds it: what a service calls, and what that needs.
import { readdirSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url))
const STORE = join(ROOT, 'packages/store/src')
const SERVICES = join(ROOT, 'services')

/** `core/tables/head.ts#lockHead` */
export type Name = string

const sourcesOf = (service: string): string[] =>
  readdirSync(join(SERVICES, service, 'src'), { recursive: true, encoding: 'utf8' })
    .filter(path => /(?<!\.d)\.ts$/.test(path))
    .map(path => join(SERVICES, service, 'src', path))

const options = { noLib: true, types: [], target: ts.ScriptTarget.Latest, module: ts.ModuleKind.ESNext }
/** Services come to the store by its doors; nothing else that is installed is read. */
const host: ts.CompilerHost = {
  ...ts.createCompilerHost(options, true),
  resolveModuleNames: (specifiers, from) =>
    specifiers.map(specifier => {
      const [, door] = /^@payment-tracking\/store\/(.*)/.exec(specifier) ?? []
      if (door) return { resolvedFileName: join(STORE, door, 'index.ts') }
      if (!specifier.startsWith('.')) return undefined
      return { resolvedFileName: resolve(dirname(from), specifier.replace(/\.js$/, '.ts')) }
    }),
}
const program = ts.createProgram(readdirSync(SERVICES).flatMap(sourcesOf), options, host)
const checker = program.getTypeChecker()
const printer = ts.createPrinter({ removeComments: true })

/** What was come to of the store: each declaration, its text without comments, and what it uses. */
const declarations = new Map<Name, { node: ts.Node; text: string; uses?: Name[] }>()

/** The text of a declaration without its comments. */
export const textOf = (name: Name): string => declarations.get(name)!.text

/** The value at the top of a file of the store that an identifier stands for. */
function find(node: ts.Identifier): Name | undefined {
  const { parent } = node
  if ((ts.isPropertyAccessExpression(parent) || ts.isPropertyAssignment(parent)) && parent.name === node)
    return undefined
  const local = ts.isShorthandPropertyAssignment(parent)
    ? checker.getShorthandAssignmentValueSymbol(parent)
    : checker.getSymbolAtLocation(node)
  const symbol = local && local.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(local) : local
  const named = symbol?.valueDeclaration
  if (!named || ts.isSourceFile(named)) return undefined
  const declaration = ts.isBindingElement(named) ? named.parent.parent : named
  const statement = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration
  const path = relative(STORE, named.getSourceFile().fileName)
  if (!ts.isSourceFile(statement.parent) || /^(?:\.\.|generated)/.test(path)) return undefined
  const name = `${path}#${symbol.name}`
  if (!declarations.has(name)) {
    const text = printer.printNode(ts.EmitHint.Unspecified, declaration, named.getSourceFile())
    declarations.set(name, { node: declaration, text })
  }
  return name
}

/** What a declaration, or a file of a service, uses of the store. */
function usesOf(root: ts.Node): Name[] {
  const used: Name[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || (ts.isImportDeclaration(node) && node.importClause?.isTypeOnly)) return
    const found = ts.isIdentifier(node) ? find(node) : undefined
    if (found) used.push(found)
    ts.forEachChild(node, visit)
  }
  visit(root)
  return used
}

/** Everything of the store that a service can come to, and from where. */
export function reachedBy(service: string): Map<Name, Name | null> {
  const reached = new Map<Name, Name | null>()
  const taken = sourcesOf(service).flatMap(path => usesOf(program.getSourceFile(path)!))
  const next: [Name, Name | null][] = taken.map(name => [name, null])
  for (let pair = next.pop(); pair; pair = next.pop()) {
    const [name, from] = pair
    if (reached.has(name)) continue
    reached.set(name, from)
    const declaration = declarations.get(name)!
    declaration.uses ??= usesOf(declaration.node)
    for (const used of declaration.uses) next.push([used, name])
  }
  return reached
}
