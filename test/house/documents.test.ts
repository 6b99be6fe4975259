// What documents name exists: sections, settings, codes, tables, columns, names of code and paths. Commands: readme.test.ts.
import { basename, dirname, join } from 'node:path'
import t from 'tap'
import { files, isThere, read } from '../repository.js'

/** History tells of what was. */
const documents = files.filter(file => file.endsWith('.md') && !/CHANGELOG|HISTORY/.test(file))
const withoutBlocks = (text: string) => text.replace(/^ *```[^]*?^ *```/gm, '')

/** The anchors of a document's headings, as GitHub makes them. */
const anchorsOf = (file: string): string[] =>
  [...withoutBlocks(read(file)).matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )

t.test('every link to a section leads to one', async t => {
  let links = 0
  for (const document of documents)
    for (const [, path, anchor] of withoutBlocks(read(document)).matchAll(/\]\(([\w./-]*)#([\w-]+)\)/g)) {
      links++
      const target = path === '' ? document : join(dirname(document), path!)
      if (target.endsWith('.md')) t.ok(anchorsOf(target).includes(anchor!), `${document}: ${path}#${anchor}`)
    }
  t.ok(links > 40, `${links} links`)
})

/** Of Postgres, of Envoy, of npm; and a placeholder. */
const NAMES_OF_OTHERS = [
  ...['synchronous_commit', 'restore_command', 'recovery_target_time', 'pg_restore', 'min_wal_size'],
  ...['proxy_status_config', 'devDependency', 'STABLE_CODE'],
]
const SNAKES = /(?<![\w.…/-])(?:[A-Z][A-Z\d]*|[a-z]+)(?:_[A-Za-z\d]+)+(?![\w…])/g
const CAMELS = /(?<![\w.-])[a-z]+[A-Z]\w+/g

t.test('every setting, code, table, column and name of code that a document names exists', async t => {
  const known = new Set(NAMES_OF_OTHERS)
  for (const file of files)
    if (
      /\.(ts|tsx|mjs|js|py|sh|json|ya?ml|css|html|sql|prisma|qnt|conf|cfg|ini|example)$|Dockerfile$/.test(
        file,
      )
    )
      for (const [word] of read(file)
        .replace(file.endsWith('.sql') ? /--.*/g : /^$/, '')
        .matchAll(/[A-Za-z_$][\w$]*/g))
        known.add(word)
  let names = 0
  const hold = (file: string, text: string, styles: RegExp[]) => {
    for (const style of styles)
      for (const [name] of text.matchAll(style)) {
        names++
        // The code names metrics without the prefix that all of them have.
        if (!known.has(name.replace(/^payment_tracking_/, ''))) t.fail(`${file}: ${name}`)
      }
  }
  for (const document of documents)
    for (const [, code] of withoutBlocks(read(document)).matchAll(/`([^`\n]+)`/g))
      hold(document, code!, [SNAKES, CAMELS])
  for (const file of files.filter(each => each.endsWith('/migration.sql')))
    for (const [comment] of read(file).matchAll(/--.*/g)) hold(file, comment, [CAMELS])
  t.ok(names > 700, `${names} names`)
})

/** A running stack writes them. */
const WRITTEN_LATER = ['stack.json']
const ROOMS = /^(?:packages|services|infra|test|scripts|docs|prisma)\//
const IS_FILE = /\.(?:ts|tsx|mjs|sh|sql|ya?ml|json|md|py|qnt|prisma|conf|cfg)$/

t.test('every path that a document names exists', async t => {
  const names = new Set(files.map(file => basename(file)))
  // Documents leave out what each path has, and how a path begins: `store/core/tables/head.ts` is a file of packages/store/src.
  const short = new Set(
    files.map(file => file.replace(/^(?:packages|services|infra)\/([\w-]+)\/src\//, '$1/')),
  )
  let paths = 0
  for (const document of documents) {
    const [, package_ = ''] = /^((?:packages|services|infra)\/[\w-]+)\//.exec(document) ?? []
    const isFound = (path: string) =>
      [...short].some(file => file === path || file.endsWith(`/${path}`)) ||
      ['', dirname(document), package_].some(from => isThere(from, path))
    for (const [, code] of withoutBlocks(read(document)).matchAll(/`([^`\n]+)`/g))
      for (const [path] of code!.matchAll(/(?<![\w.*@:/$-])[a-z][\w-]*(?:[./][\w-]+)+\b(?![*…])/g)) {
        if (!ROOMS.test(path) && !IS_FILE.test(path)) continue
        paths++
        if (WRITTEN_LATER.includes(path)) continue
        t.ok(path.includes('/') ? isFound(path) : names.has(path), `${document}: ${path}`)
      }
  }
  t.ok(paths > 150, `${paths} paths`)
})

t.test('every figure of speed that a document names is that of its row', async t => {
  const rows = Object.keys(JSON.parse(read('test/bench/gate/table.json')) as Record<string, number>)
  const judge = read('test/bench/gate/judge.ts')
  const planned = /ingestPerSecond: ([\d_]+)/.exec(read('scripts/sizing.mjs'))![1]!.replaceAll('_', ',')
  let figures = 0
  for (const document of documents) {
    const text = read(document).replace(/\s+/g, ' ')
    for (const [, figure] of text.matchAll(/([\d,]+) events a second/g)) {
      figures++
      t.equal(figure, planned, document)
    }
    for (const [, row, percent] of text.matchAll(/(ingest beside [\d,]+ [a-z ]+) must keep (\d+) %/g)) {
      figures++
      t.ok(rows.includes(row!), `${document}: ${row}`)
      t.ok(judge.includes(`[BESIDE_EXPECTATIONS]: 0.${percent}`), `${document}: ${percent} %`)
    }
    for (const [share] of text.matchAll(/three quarters of its (?:own|ratio)/g)) {
      figures++
      t.match(judge, 'KEPT_SHARE = 0.75', `${document}: ${share}`)
    }
  }
  t.ok(figures >= 3, `${figures} figures`)
})
