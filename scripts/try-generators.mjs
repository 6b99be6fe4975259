// `node scripts/try-generators.mjs [openapi.json]`: what generators of clients make of the API's description compiles.
// The generators come from the registry for this command alone, at the versions below; it takes some two minutes.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run, withProgress } from './set-up/run.mjs'

const INPUT = process.argv[2] ?? 'packages/client/openapi.json'
const PACKAGES = [
  '@asyncapi/modelina@5.10.1',
  '@hey-api/openapi-ts@0.95.0',
  '@stoplight/spectral-cli@6.16.3',
  '@types/node@20.19.43',
  'oazapfts@7.5.0',
  'openapi-to-postmanv2@6.3.3',
  'openapi-typescript-codegen@0.31.0',
  'orval@7.13.2',
  'swagger-typescript-api@13.13.0',
  'typescript@5.9.3',
]
/** Each with the arguments that make a client of `openapi.json` in `ts`. */
const TYPESCRIPT = {
  'hey-api': ['openapi-ts', '-i', 'openapi.json', '-o', 'ts/hey-api', '-c', '@hey-api/client-fetch'],
  oazapfts: ['oazapfts', 'openapi.json', 'ts/oazapfts.ts'],
  'openapi-typescript-codegen': ['openapi', '--input', 'openapi.json', '--output', 'ts/codegen'],
  orval: ['orval', '--input', 'openapi.json', '--client', 'fetch', '--output', 'ts/orval/index.ts'],
  'swagger-typescript-api': ['swagger-typescript-api', 'generate', '-p', 'openapi.json', '-o', 'ts/swagger'],
}
/** Models alone: no generator of whole clients for Go or Python is in npm or Debian. */
const MODELS = `
  import { readFileSync } from 'node:fs'
  import { GoFileGenerator, PythonFileGenerator } from '@asyncapi/modelina'
  const document = JSON.parse(readFileSync('openapi.json', 'utf8'))
  await new GoFileGenerator().generateToFiles(document, 'go', { packageName: 'payments' }, true)
  await new PythonFileGenerator().generateToFiles(document, 'python', {}, true)`

const folder = mkdtempSync(join(tmpdir(), 'payment-tracking-generators-'))
const options = { cwd: folder }
const npx = (...args) => run('npx', ['--no-install', ...args], options)
const step = async (what, work) => {
  try {
    await withProgress(console.log, what, () => '', work)
    console.log(`${what}: fine`)
  } catch (error) {
    process.exitCode = 1
    console.error(`${what}: ${error.message.slice(-1_500)}`)
  }
}

try {
  cpSync(INPUT, join(folder, 'openapi.json'))
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
  writeFileSync(join(folder, '.spectral.yaml'), 'extends: ["spectral:oas"]')
  writeFileSync(join(folder, 'models.mjs'), MODELS)
  await withProgress(
    console.log,
    `installing ${PACKAGES.length} packages`,
    () => '',
    () => run('npm', ['install', '--no-audit', '--no-fund', '--silent', ...PACKAGES], options),
  )
  await step('Spectral, no warning', () => npx('spectral', 'lint', '--fail-severity', 'hint', 'openapi.json'))
  for (const [name, args] of Object.entries(TYPESCRIPT)) await step(`${name} generates`, () => npx(...args))
  const compiler = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022', '--module', 'esnext']
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { lib: ['es2022', 'dom', 'dom.iterable'] }, include: ['ts'] }),
  )
  await step('TypeScript compiles', () => npx('tsc', ...compiler, '--moduleResolution', 'bundler', '-p', '.'))
  await step('modelina generates', () => run(process.execPath, ['models.mjs'], options))
  writeFileSync(join(folder, 'go', 'go.mod'), 'module payments\n\ngo 1.19\n')
  await step('Go compiles', () => run('go', ['vet', './...'], { cwd: join(folder, 'go') }))
  await step('Python compiles', () => run('python3', ['-m', 'compileall', '-q', 'python'], options))
  await step("Postman's base URL is that of the description", async () => {
    await npx('openapi2postmanv2', '-s', 'openapi.json', '-o', 'postman.json')
    const read = name => JSON.parse(readFileSync(join(folder, name), 'utf8'))
    const [found] = read('postman.json').variable.filter(({ key }) => key === 'baseUrl')
    const [{ url }] = read('openapi.json').servers
    if (found?.value !== url) throw new Error(`${found?.value}, and not ${url}`)
  })
} finally {
  rmSync(folder, { recursive: true, force: true })
}
