// `node scripts/assemble-images.mjs FOLDER [NAME]`: makes FOLDER/<image> for the migration and for each service, or for
// one service alone. The folder holds what the image holds and nothing else: the bundle with its chunks, and those packages
// that it reads from node_modules.
import { cpSync, existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { UNBUNDLED } from './unbundled-packages.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

const readJson = file => JSON.parse(readFileSync(file, 'utf8'))

/** Where Node would find the package for a file in `from`; undefined when it is not installed. */
function findPackage(name, from) {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name)
    if (existsSync(join(candidate, 'package.json'))) return candidate
    if (folder === dirname(folder)) return undefined
  }
}

/** The packages of a bundle that are not in it. */
function namesIn(bundle) {
  const text = bundle.map(file => readFileSync(file, 'utf8')).join('\n')
  const quoted = new Set(
    [...text.matchAll(/["']((?:@[\w.-]+\/)?[a-z][\w.-]*)(?:\/[\w./-]*)?["']/g)].map(([, name]) => name),
  )
  return [...quoted].filter(name =>
    UNBUNDLED.some(each => (each.endsWith('*') ? name.startsWith(each.slice(0, -1)) : name === each)),
  )
}

/** Copies packages and all they depend on, each to the same place below `target`. */
function copyPackages(names, from, target, copied = new Set()) {
  for (const name of names) {
    const source = findPackage(name, from)
    // A package that is not installed is one that its users can do without; npm has seen to the others.
    if (!source || copied.has(source)) continue
    copied.add(source)
    const place = join(target, relative(ROOT, source))
    cpSync(realpathSync(source), place, {
      recursive: true,
      filter: file =>
        !file.slice(source.length).includes('node_modules') && !/\.(d\.[cm]?ts|map|md)$/.test(file),
    })
    const manifest = readJson(join(source, 'package.json'))
    // Optional peers too: Bull Board requires BullMQ and calls it optional.
    const needed = ['dependencies', 'optionalDependencies', 'peerDependencies']
      .flatMap(kind => Object.keys(manifest[kind] ?? {}))
      .filter(each => !each.startsWith('@types/'))
    copyPackages(needed, source, target, copied)
  }
}

/** A bundle and the chunks that it reads, as they lie below the root. */
function filesOf(bundle, found = new Set()) {
  if (found.has(bundle)) return found
  found.add(bundle)
  const text = readFileSync(join(ROOT, bundle), 'utf8')
  for (const [, path] of text.matchAll(/["'](\.[\w./-]+\.js)["']/g)) {
    const chunk = join(dirname(bundle), path)
    if (chunk.startsWith('dist/') && existsSync(join(ROOT, chunk))) filesOf(chunk, found)
  }
  return found
}

/** Adds bundles of a workspace to an image. */
function add(target, workspace, names) {
  const files = [...new Set(names.flatMap(name => [...filesOf(join(workspace, 'dist', `${name}.js`))]))]
  for (const file of [join(workspace, 'package.json'), ...files, ...files.map(name => `${name}.map`)])
    cpSync(join(ROOT, file), join(target, file), { recursive: true })
  copyPackages(namesIn(files.map(file => join(ROOT, file))), join(ROOT, workspace), target)
}

const folder = resolve(process.argv[2] ?? 'images')
const only = process.argv[3]
for (const service of only ? [only] : readdirSync(join(ROOT, 'services')))
  if (existsSync(join(ROOT, 'services', service, 'dist/service.js')))
    add(join(folder, service), join('services', service), ['service'])
if (!only || only === 'console')
  cpSync(join(ROOT, 'services/console/dist/site'), join(folder, 'console/services/console/dist/site'), {
    recursive: true,
  })
if (!only) {
  const migrate = join(folder, 'migrate')
  add(migrate, 'packages/store', ['service', 'rebuild'])
  add(migrate, 'services/ingest', ['reingest', 'archive'])
  cpSync(join(ROOT, 'prisma/migrations'), join(migrate, 'prisma/migrations'), { recursive: true })
}
