// Makes everything that a tag publishes, in one folder. Changes nothing else, and needs no network but for images whose base
// is not there yet.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setUp } from '../set-up.mjs'
import { buildImages, choosesImages } from './build-images.mjs'
import { notesOf } from './changelog.mjs'
import { checkPlatforms } from './check-platforms.mjs'
import { packPackages } from './pack-packages.mjs'
import { packManifests } from './pin-manifests.mjs'
import { readRoot, readVersion, ROOT, run } from './repository.mjs'
import { writeBill, writeProvenance, writeSums } from './statements.mjs'

export const HELP = `npm run release -- --prepare 1.2.3   raises the version everywhere, closes the changelog's section
npm run release -- --dry-run         makes what a tag publishes, in dist/release; publishes nothing
npm run release -- --publish         the same, and publishes it; the workflow runs this for a tag

  --out FOLDER        instead of dist/release; what is in it goes
  --images yes|no     images need buildah; without the flag they are made where it is there
  --platforms LIST    of the images: linux/amd64 (default), or linux/amd64,linux/arm64 where an
                      emulator runs what the machine does not (qemu-user-static)
  --registry NAME     where the images will be, for the manifests:
                      registry.example.com/payment-tracking`

/** The address of the repository; undefined without a remote. */
function sourceOf() {
  const remotes = run('git', ['remote'])
  return remotes === '' ? undefined : run('git', ['remote', 'get-url', remotes.split('\n')[0]])
}

/** The page of a release is not in the repository: links to its files name the place, where it is on the web. */
export const withWholeLinks = (text, { source, version }) =>
  source?.startsWith('https://')
    ? text.replaceAll(/\]\((?=docs\/)/g, `](${source.replace(/\.git$/, '')}/blob/v${version}/`)
    : text

/** @throws Error that names what is missing, before anything is made where that can be seen before */
export async function makeRelease({ out, images: wish, platforms, registry }, say) {
  const version = readVersion()
  const notes = notesOf(readRoot('CHANGELOG.md'), version)
  const withImages = choosesImages(wish)
  if (withImages) checkPlatforms(platforms)
  const isChanged = run('git', ['status', '--porcelain', '--untracked-files=no']) !== ''
  const folder = resolve(out ?? join(ROOT, 'dist/release'))
  const release = {
    version,
    commit: run('git', ['rev-parse', 'HEAD']),
    date: new Date().toISOString(),
    source: sourceOf(),
    isClean: notes.date !== null && !isChanged,
    images: null,
    folder,
  }
  await setUp(say)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const files = packPackages(folder)
  files.push(writeBill(folder))
  writeFileSync(join(folder, 'notes.md'), `${withWholeLinks(notes.text, release)}\n`)
  files.push('notes.md')
  if (withImages) {
    release.images = buildImages(release, { folder, platforms }, say)
    writeFileSync(join(folder, 'images.json'), `${JSON.stringify(release.images, null, 2)}\n`)
    files.push('images.json', packManifests(release, { folder, registry }))
    files.push(...Object.values(release.images).map(({ archive }) => archive))
  }
  files.push(writeProvenance(folder, files, release))
  writeSums(folder, files)
  say(`${version} of ${release.commit.slice(0, 7)} is in ${folder}: ${[...files, 'SHA256SUMS'].join(', ')}`)
  if (!withImages) say('Without images, and so without manifests: they need buildah (--images yes).')
  if (notes.date === null)
    say(`The changelog's section of ${version} is open: npm run release -- --prepare ${version}`)
  if (isChanged) say('The checkout has changes that are not committed.')
  return { ...release, files: [...files, 'SHA256SUMS'] }
}
