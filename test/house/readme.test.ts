// What the README promises of commands, files and settings exists. That its lines also work is tested end to
// end in e2e/readme.long.test.ts.
import { basename, dirname, join } from 'node:path'
import t from 'tap'
import { files, isThere, read } from '../repository.js'

const documents = files.filter(file => file.endsWith('.md'))

t.test('every command that is named exists', async t => {
  const scriptsOf = (folder: string) =>
    (JSON.parse(read(join(folder, 'package.json'))) as { scripts: Record<string, string> }).scripts
  const scripts = scriptsOf('')
  for (const document of documents) {
    for (const [, name, folder] of read(document).matchAll(
      /\bnpm run (?:--silent )?([a-z][\w:-]*)(?: -w ([\w/-]+))?/g,
    ))
      t.ok(name! in (folder ? scriptsOf(folder) : scripts), `${document}: npm run ${name} ${folder ?? ''}`)
    for (const [, file] of read(document).matchAll(/\bnode ((?:scripts|test)\/[\w./-]+)/g))
      t.ok(isThere(file!), `${document}: node ${file}`)
  }
  for (const name of ['start', 'test']) t.ok(name in scripts, `npm ${name}`)
})

t.test('there are at most 24 scripts, and CONTRIBUTING tells each one, in their order', async t => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  t.ok(Object.keys(scripts).length <= 24, `${Object.keys(scripts).length} scripts`)
  const [, told] = /^## The scripts$([^]*?)^## /m.exec(read('CONTRIBUTING.md'))!
  const places = Object.keys(scripts).map(name => told!.indexOf(`\`${name}\``))
  for (const [at, name] of Object.keys(scripts).entries())
    t.ok(places[at]! > (places[at - 1] ?? 0), `${name} stands behind the one before`)
})

t.test('every link into the repository leads somewhere', async t => {
  for (const document of documents) {
    for (const [, target] of read(document).matchAll(/\]\(([^)#\s]+)[^)]*\)/g)) {
      // Another site, or a path of the running service.
      if (/^([a-z]+:|\/)/.test(target!)) continue
      t.ok(isThere(dirname(document), target!), `${document}: ${target}`)
    }
  }
})

t.test('an operator has at most 78 settings to look at', async t => {
  const names = read('docs/settings.md').match(/^\| `[A-Z_]+`/gm) ?? []
  t.ok(names.length > 50 && names.length <= 78, `${names.length} settings`)
  t.equal(new Set(names).size, names.length, 'each stands in one group')
})

t.test('the README says of comparing what the reference says', async t => {
  const text = read('README.md').replace(/\n> ?/g, ' ')
  t.match(text, /check recipient, token and amount, or let the service do it: \*\*\[expect/)
})

t.test('every line for a shell runs when it is pasted into bash or into zsh', async t => {
  for (const document of documents)
    for (const [, block] of read(document).matchAll(/^ *```(?:sh|bash)\n([^]*?)^ *```/gm))
      for (const line of block!.split('\n')) {
        const unquoted = line.replace(/'[^']*'|"[^"]*"/g, '')
        t.notMatch(unquoted, /(^|\s)#/, `${document}: zsh takes no comment: ${line}`)
        t.notMatch(unquoted, /(?<!\$)[?*[\]]/, `${document}: zsh looks for files of this pattern: ${line}`)
      }
})

/** Tables that tests write do not count, nor a table of packages, the rooms of the store, and a text of the fixtures. */
const MOST_WORDS = 12_000
const UNCOUNTED = /^docs\/dependencies\.md|^packages\/store\/src\/|^test\/fixtures\/2\//

t.test(`docs and READMEs have at most ${MOST_WORDS} words`, async t => {
  const counted = documents.filter(file => /^docs\/|(^|\/)README\.md$/.test(file) && !UNCOUNTED.test(file))
  const words = counted.flatMap(file =>
    read(file)
      .replace(/<!-- table: begin -->.*?<!-- table: end -->/gs, '')
      .split(/\s+/)
      .filter(word => /[\p{L}\p{N}]/u.test(word)),
  )
  t.ok(counted.length > 30 && words.length <= MOST_WORDS, `${words.length} words`)
})

t.test('every file that a comment of the code names exists', async t => {
  const named = new Set(files.map(file => basename(file)))
  let count = 0
  for (const file of files.filter(each => /\.(ts|tsx|mjs)$/.test(each)))
    for (const [, text] of read(file).matchAll(/^\s*(?:\/\/|\/?\*+)(.*)/gm))
      for (const [path] of text!.matchAll(/(?<![\w.*:/-])[a-z][\w./-]*\.(?:test\.)?(?:ts|tsx|mjs|qnt)\b/g)) {
        if (path.includes('generated/')) continue
        count++
        const isFound = /^(packages|services|infra)\//.test(path) ? isThere(path) : named.has(basename(path))
        if (!isFound) t.fail(`${file}: ${path}`)
      }
  t.ok(count > 100, `${count} files are named`)
})
