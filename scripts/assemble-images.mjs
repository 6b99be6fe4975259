// `node scripts/assemble-images.mjs FOLDER [NAME]`: makes FOLDER/<image> for the migration and for each service, or for
// one service alone. The folder holds what the image holds and nothing else: the bundle, and those packages that the
// bundle reads from node_modules.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
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

/** Adds bundles of a workspace, by the beginning of their names, to an image. */
function add(target, workspace, names) {
  const from = join(ROOT, workspace)
  const bundle = readdirSync(join(from, 'dist')).filter(file =>
    names.some(name => file.startsWith(`${name}.js`) || file.startsWith(`${name}-`)),
  )
  mkdirSync(join(target, workspace, 'dist'), { recursive: true })
  for (const name of ['package.json', ...bundle.map(each => join('dist', each))])
    cpSync(join(from, name), join(target, workspace, name))
  const sources = bundle.filter(name => name.endsWith('.js')).map(name => join(from, 'dist', name))
  copyPackages(namesIn(sources), from, target)
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
  add(migrate, 'services/ingest', ['reingest'])
  cpSync(join(ROOT, 'prisma/migrations'), join(migrate, 'prisma/migrations'), { recursive: true })
}
