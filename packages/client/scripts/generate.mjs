// Writes src/api-types.ts from openapi.json. With --check it writes nothing and fails when the two differ.
import { readFileSync, writeFileSync } from 'node:fs'
import openapiTypescript, { astToString } from 'openapi-typescript'
import ts from 'typescript'

const source = new URL('../openapi.json', import.meta.url)
const target = new URL('../src/api-types.ts', import.meta.url)
const HEADER = `// Generated from openapi.json by scripts/generate.mjs: do not edit.\n\n`

const INTEGER = ts.factory.createUnionTypeNode([
  ts.factory.createKeywordTypeNode(ts.SyntaxKind.NumberKeyword),
  ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword),
])

const ast = await openapiTypescript(source, {
  defaultNonNullable: false,
  // Integers are exact: beyond 2⁵³ the client reads them as bigint.
  transform: schema => (schema.type === 'integer' ? INTEGER : undefined),
})
const types = HEADER + astToString(ast)
if (process.argv.includes('--check')) {
  if (readFileSync(target, 'utf8') !== types) {
    console.error('src/api-types.ts is not what openapi.json says: run `npm run openapi`')
    process.exit(1)
  }
} else writeFileSync(target, types)
