// `node scripts/assemble-images.mjs FOLDER [NAME]`: makes FOLDER/<image> for the migration and for each service, or for
// one service alone. The folder holds what the image holds and nothing else: the bundle with its chunks, and those packages
// that it reads from node_modules.
import { cpSync, existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { UNBUNDLED } from './bundle.mjs'
import { ROOT } from './command.mjs'

/** Where Node would find the package for a file in `from`; undefined when it is not installed. */
function findPackage(name, from) {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name)
    if (existsSync(join(candidate, 'package.json'))) return candidate
    if (folder === dirname(folder)) return undefined
  }
}

/** Copies packages and all they depend on, each to the same place below `target`. */
function copyPackages(names, from, target, copied = new Set()) {
  for (const name of names) {
    const source = findPackage(name, from)
    // A package that is not installed is one that its users can do without; npm has seen to the others.
    if (!source || copied.has(source)) continue
    copied.add(source)
    cpSync(realpathSync(source), join(target, relative(ROOT, source)), {
      recursive: true,
      filter: file =>
        !file.slice(source.length).includes('node_modules') && !/\.(d\.[cm]?ts|map|md)$/.test(file),
    })
    const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'))
    // Optional peers too: Bull Board requires BullMQ and calls it optional.
    const needed = ['dependencies', 'optionalDependencies', 'peerDependencies']
      .flatMap(kind => Object.keys(manifest[kind] ?? {}))
      .filter(each => !each.startsWith('@types/'))
    copyPackages(needed, source, target, copied)
  }
}

const isUnbundled = name =>
  UNBUNDLED.some(each => (each.endsWith('*') ? name.startsWith(each.slice(0, -1)) : name === each))

/** Copies a bundle, the chunks that it reads, and the packages that are not in it. */
function copyBundle(bundle, target, copied = new Set()) {
  if (copied.has(bundle)) return
  copied.add(bundle)
  for (const file of [bundle, `${bundle}.map`]) cpSync(join(ROOT, file), join(target, file))
  const folder = dirname(bundle)
  for (const [, text] of readFileSync(join(ROOT, bundle), 'utf8').matchAll(/["']([@.]?[\w./-]+)["']/g)) {
    const file = join(folder, text)
    if (file.startsWith('dist/') && existsSync(join(ROOT, file))) {
      if (text.endsWith('.js')) copyBundle(file, target, copied)
      if (text.endsWith('.wasm')) cpSync(join(ROOT, file), join(target, file))
    }
    const [name] = /^(@[^/]+\/)?[^/]+/.exec(text) ?? []
    if (name && isUnbundled(name)) copyPackages([name], join(ROOT, folder), target)
  }
}

/** Adds bundles of a workspace to an image. */
function add(target, workspace, names) {
  // The runtime's says the version that processes report.
  for (const each of [workspace, 'packages/runtime']) {
    const manifest = join(each, 'package.json')
    cpSync(join(ROOT, manifest), join(target, manifest))
  }
  for (const name of names) copyBundle(join(workspace, 'dist', `${name}.js`), target)
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
if (!only || only === 'api')
  cpSync(join(ROOT, 'docs'), join(folder, 'api/docs'), {
    recursive: true,
    filter: file => !/\.(png|svg)$|node_modules/.test(file),
  })
if (!only) {
  const migrate = join(folder, 'migrate')
  add(migrate, 'packages/store', ['migrate', 'rebuild'])
  add(migrate, 'services/ingest', ['reingest', 'archive'])
  cpSync(join(ROOT, 'prisma/migrations'), join(migrate, 'prisma/migrations'), { recursive: true })
}
