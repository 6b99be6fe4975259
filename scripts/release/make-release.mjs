// Makes everything that a tag publishes, in one folder. Changes nothing else, and needs no network but for images whose base
// is not there yet.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ROOT, run } from '../command.mjs'
import { setUp } from '../set-up.mjs'
import { buildImages, checkPlatforms } from './images.mjs'
import { packManifests } from './manifests.mjs'
import { writeBill, writeProvenance, writeSums } from './statements.mjs'
import { isChanged, readNewest, readRoot } from './version.mjs'

/** The packages that others install. */
const PUBLISHED = ['./packages/client', './infra/dev-kit']

export const has = command =>
  run(command, ['--version']).then(
    () => true,
    () => false,
  )

/** The page of a release is not in the repository: links to its files name the place, where it is on the web. */
export const withWholeLinks = (text, { source, version }) =>
  source?.startsWith('https://')
    ? text.replaceAll(/\]\((?=docs\/)/g, `](${source.replace(/\.git$/, '')}/blob/v${version}/`)
    : text

/** @returns the names of the tarballs in `folder` */
async function packPackages(folder) {
  const packed = await run('npm', ['pack', ...PUBLISHED, '--json', '--pack-destination', folder])
  // The `prepack` scripts of the packages can print lines before npm's list.
  return JSON.parse(packed.slice(packed.lastIndexOf('\n[') + 1)).map(({ filename }) => filename)
}

/**
 * @param options `out`, `images`, `platforms` and `registry` of `node scripts/release.mjs`
 * @throws Error that names a missing tool or platform before anything is made; or the error of a program that failed
 */
export async function makeRelease({ out, images, platforms, registry }) {
  const { version, date: released, text } = readNewest(readRoot('CHANGELOG.md'))
  const withImages = images !== 'no' && (await has('buildah'))
  if (images === 'yes' && !withImages) throw new Error('--images yes needs buildah: apt-get install buildah')
  if (withImages) checkPlatforms(platforms)
  const folder = resolve(out ?? join(ROOT, 'dist/release'))
  const isCommitted = !(await isChanged())
  const release = {
    version,
    commit: await run('git', ['rev-parse', 'HEAD']),
    date: new Date().toISOString(),
    source: await run('git', ['remote', 'get-url', 'origin']).catch(() => undefined),
    isClean: released !== undefined && isCommitted,
    folder,
  }
  await setUp()
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const files = [...(await packPackages(folder)), await writeBill(folder), 'notes.md']
  writeFileSync(join(folder, 'notes.md'), `${withWholeLinks(text, release)}\n`)
  if (withImages) {
    release.images = await buildImages(release, { folder, platforms })
    writeFileSync(join(folder, 'images.json'), `${JSON.stringify(release.images, null, 2)}\n`)
    files.push('images.json', await packManifests(release, { folder, registry }))
    files.push(...Object.values(release.images).map(({ archive }) => archive))
  }
  files.push(writeProvenance(folder, files, release))
  files.push(writeSums(folder, files))
  console.log(`${version} of ${release.commit.slice(0, 7)} is in ${folder}: ${files.join(', ')}`)
  if (!withImages) console.log('Without images, and so without manifests: they need buildah (--images yes).')
  if (!released)
    console.log(
      `The changelog's section of ${version} is open: node scripts/release.mjs --prepare ${version}`,
    )
  if (!isCommitted) console.log('The checkout has changes that are not committed.')
  return { ...release, files }
}
