// The version, and its section in CHANGELOG.md. A section begins with `## 1.2.3 (2026-01-31)`. The section of a version that is
// not released yet has no date.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, run } from '../command.mjs'

export const readRoot = file => readFileSync(join(ROOT, file), 'utf8')

/** Whether the checkout has changes that are not committed. */
export const isChanged = async () =>
  (await run('git', ['status', '--porcelain', '--untracked-files=no'])) !== ''

/** @returns the newest section: version, date (undefined while open) and text. @throws Error when there is none */
export function readNewest(changelog) {
  const [, newest = ''] = changelog.split(/^## /m)
  const heading = /^(\d+\.\d+\.\d+)(?: \((\d{4}-\d{2}-\d{2})\))?\n/.exec(newest)
  if (!heading)
    throw new Error(
      `CHANGELOG.md begins with "## ${newest.split('\n')[0]}": write "## 1.2.3", once released with the date behind it`,
    )
  const [line, version, date] = heading
  const text = newest.slice(line.length).trim()
  if (text === '') throw new Error(`CHANGELOG.md: the section of ${version} is empty: say what users get`)
  return { version, date, text }
}

/**
 * @param today `YYYY-MM-DD`
 * @returns the changelog, with the date of today at the version's section
 * @throws Error when the newest section is of another version, has a date, or is empty
 */
export function closeSection(changelog, version, today) {
  const newest = readNewest(changelog)
  if (newest.version !== version)
    throw new Error(`CHANGELOG.md begins with ${newest.version}: write the section "## ${version}" first`)
  if (newest.date) throw new Error(`CHANGELOG.md: ${version} was released on ${newest.date}`)
  return changelog.replace(`## ${version}\n`, `## ${version} (${today})\n`)
}

/** Raises the version everywhere, and closes the changelog's section. @throws Error before anything is changed */
export async function prepareVersion(version) {
  if (await isChanged()) throw new Error('the checkout has changes: commit them first')
  const { version: previous } = JSON.parse(readRoot('package.json'))
  const today = new Date().toISOString().slice(0, 10)
  const changelog = closeSection(readRoot('CHANGELOG.md'), version, today)
  const raise = (...where) =>
    run('npm', ['version', version, ...where, '--no-git-tag-version', '--allow-same-version'])
  await raise('--workspaces', '--include-workspace-root', '--no-workspaces-update')
  // The dev kit is no workspace, so `--workspaces` leaves it out.
  await raise('--prefix', 'infra/dev-kit')
  await run('npm', ['install', '--package-lock-only', '--offline', '--ignore-scripts'])
  const mention = new RegExp(
    `(newTag: '|payment-tracking-(?:client|dev-kit)-)${previous.replaceAll('.', '\\.')}`,
    'g',
  )
  for (const file of (await run('git', ['grep', '-lF', previous])).split('\n')) {
    const text = readRoot(file)
    if (mention.test(text)) writeFileSync(join(ROOT, file), text.replaceAll(mention, `$1${version}`))
  }
  writeFileSync(join(ROOT, 'CHANGELOG.md'), changelog)
  console.log(`Every file says ${version}; the changelog's section is closed (${today}).

Next:
  npm run openapi -w services/api    # the description names the version
  node scripts/release.mjs --dry-run  # everything that the tag publishes
  git commit --all --message "Release ${version}" && git tag v${version} && git push origin main v${version}`)
}
