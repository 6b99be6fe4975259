// `npm run release -- --prepare 1.2.3`: raises the version everywhere, and closes the changelog's section.
import { writeFileSync } from 'node:fs'
import { closeSection } from './changelog.mjs'
import { listManifests, readRoot, readVersion, ROOT, run } from './repository.mjs'

const VERSION = /^(\d+)\.(\d+)\.(\d+)$/
const isBefore = (one, other) => {
  const [a, b] = [one, other].map(version => VERSION.exec(version).slice(1).map(Number))
  const at = a.findIndex((number, nth) => number !== b[nth])
  return at !== -1 && a[at] < b[at]
}

/** Where else the version stands, as `git grep` and a replacement find it. */
const mentions = version => [
  `payment-tracking-client-${version}.tgz`,
  `payment-tracking-dev-kit-${version}.tgz`,
  `newTag: '${version}'`,
]

/** @returns each file with the version, and its text afterwards */
export function raisedFiles(version, previous) {
  const texts = new Map()
  const replace = (file, found, by) =>
    texts.set(file, (texts.get(file) ?? readRoot(file)).replaceAll(found, by))
  for (const file of listManifests()) replace(file, `"version": "${previous}"`, `"version": "${version}"`)
  for (const [nth, mention] of mentions(previous).entries()) {
    const files = run('git', ['grep', '--name-only', '--fixed-strings', mention])
    for (const file of files.split('\n')) replace(file, mention, mentions(version)[nth])
  }
  const lock = JSON.parse(readRoot('package-lock.json'))
  lock.version = version
  for (const [path, entry] of Object.entries(lock.packages))
    if (!path.includes('node_modules') && entry.version !== undefined) entry.version = version
  texts.set('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`)
  return texts
}

/**
 * @throws Error when the version is not later, the changelog has no open section for it, or the checkout has changes
 */
export function prepareVersion(version, say) {
  const previous = readVersion()
  if (!VERSION.test(version)) throw new Error(`${version} is no version: three numbers, like ${previous}`)
  if (isBefore(version, previous))
    throw new Error(`${version} is before ${previous}, the version of package.json`)
  if (run('git', ['status', '--porcelain', '--untracked-files=no']) !== '')
    throw new Error('the checkout has changes: commit them first')
  const date = new Date().toISOString().slice(0, 10)
  const changelog = closeSection(readRoot('CHANGELOG.md'), version, date)
  const files = raisedFiles(version, previous).set('CHANGELOG.md', changelog)
  for (const [file, text] of files) writeFileSync(`${ROOT}${file}`, text)
  const raised =
    version === previous
      ? `Every file says ${version} already`
      : `${previous} is ${version} in ${files.size - 1} files`
  say(`${raised}; the changelog's section is closed (${date}).`)
  say('')
  say('Next:')
  say('  npm run openapi                     # the description names the version')
  say('  npm run release -- --dry-run        # everything that the tag publishes')
  say(
    `  git commit --all --message "Release ${version}" && git tag v${version} && git push origin main v${version}`,
  )
}
