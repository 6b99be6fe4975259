// The store's source as declarations and who uses whom, as far as the text shows it: what a service calls, and what that needs.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url))
const STORE = join(ROOT, 'packages/store/src')

/** `core/tables/head.ts#lockHead` */
export type Name = string

interface File {
  declarations: Map<string, ts.Node>
  /** what a name stands for: a file and a name in it */
  imports: Map<string, readonly [file: string, name: string]>
  reexports: Map<string, readonly [file: string, name: string]>
  stars: string[]
}

const sourcesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(path => /(?<!\.d)\.ts$/.test(path) && !path.startsWith('generated'))
    .map(path => join(folder, path))

const parse = (path: string) =>
  ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true)

function readFile(path: string): File {
  const file: File = { declarations: new Map(), imports: new Map(), reexports: new Map(), stars: [] }
  const pathOf = (specifier: ts.Expression) =>
    resolve(dirname(path), (specifier as ts.StringLiteral).text.replace(/\.js$/, '.ts'))
  for (const statement of parse(path).statements) {
    if (ts.isImportDeclaration(statement)) {
      const bindings = statement.importClause?.namedBindings
      if (bindings && ts.isNamedImports(bindings))
        for (const { name, propertyName } of bindings.elements)
          file.imports.set(name.text, [pathOf(statement.moduleSpecifier), (propertyName ?? name).text])
    } else if (ts.isExportDeclaration(statement)) {
      const from = statement.moduleSpecifier ? pathOf(statement.moduleSpecifier) : path
      if (!statement.exportClause) file.stars.push(from)
      else if (ts.isNamedExports(statement.exportClause))
        for (const { name, propertyName } of statement.exportClause.elements)
          file.reexports.set(name.text, [from, (propertyName ?? name).text])
    } else if (ts.isVariableStatement(statement)) {
      for (const declaration of statement.declarationList.declarations) {
        const { name } = declaration
        const names = ts.isIdentifier(name)
          ? [name.text]
          : name.elements.flatMap(element => ('name' in element ? [element.name.getText()] : []))
        for (const each of names) file.declarations.set(each, declaration)
      }
    } else if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement))
      file.declarations.set(statement.name!.text, statement)
  }
  return file
}

const files = new Map(sourcesIn(STORE).map(path => [path, readFile(path)]))
const printer = ts.createPrinter({ removeComments: true })

/** The text of a declaration without its comments. */
export function textOf(name: Name): string {
  const [path, own] = name.split('#') as [string, string]
  const node = files.get(join(STORE, path))!.declarations.get(own)!
  return printer.printNode(ts.EmitHint.Unspecified, node, node.getSourceFile())
}

function find(path: string, name: string, seen = new Set<string>()): Name | undefined {
  const file = files.get(path)
  if (!file) return undefined
  if (file.declarations.has(name)) return `${relative(STORE, path)}#${name}`
  const elsewhere = file.reexports.get(name)
  if (elsewhere && elsewhere[0] !== path) return find(...elsewhere)
  if (seen.has(path)) return undefined
  seen.add(path)
  for (const star of file.stars) {
    const found = find(star, name, seen)
    if (found) return found
  }
  return undefined
}

/** What a declaration uses of the store. */
function usesOf(name: Name): Name[] {
  const [path, own] = name.split('#') as [string, string]
  const file = files.get(join(STORE, path))!
  const used: Name[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node)) return
    if (ts.isIdentifier(node) && node.text !== own) {
      const { parent } = node
      const isMember =
        (ts.isPropertyAccessExpression(parent) || ts.isPropertyAssignment(parent)) && parent.name === node
      const imported = file.imports.get(node.text)
      const found = isMember
        ? undefined
        : file.declarations.has(node.text)
          ? `${path}#${node.text}`
          : imported && find(...imported)
      if (found) used.push(found)
    }
    ts.forEachChild(node, visit)
  }
  visit(file.declarations.get(own)!)
  return used
}

/** What a service takes from the store. */
function takenBy(service: string): Name[] {
  const names = new Set<Name>()
  for (const path of sourcesIn(join(ROOT, 'services', service, 'src')))
    for (const statement of parse(path).statements) {
      if (!ts.isImportDeclaration(statement) || statement.importClause?.isTypeOnly) continue
      const [, door] = /^@payment-tracking\/store\/(.*)/.exec(
        (statement.moduleSpecifier as ts.StringLiteral).text,
      ) ?? ['', '']
      if (!door) continue
      const bindings = statement.importClause?.namedBindings
      if (bindings && ts.isNamedImports(bindings))
        for (const { name, propertyName, isTypeOnly } of bindings.elements)
          if (!isTypeOnly) names.add(find(join(STORE, door, 'index.ts'), (propertyName ?? name).text) ?? '')
    }
  return [...names].filter(name => name !== '')
}

/** Everything of the store that a service can come to, and from where. */
export function reachedBy(service: string): Map<Name, Name | null> {
  const reached = new Map<Name, Name | null>()
  const next: [Name, Name | null][] = takenBy(service).map(name => [name, null])
  for (let pair = next.pop(); pair; pair = next.pop()) {
    const [name, from] = pair
    if (reached.has(name)) continue
    reached.set(name, from)
    for (const used of usesOf(name)) next.push([used, name])
  }
  return reached
}
