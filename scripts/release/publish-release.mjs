// Publishes what makeRelease made: packages, images, and the release's page with every file.
import { join } from 'node:path'
import { run } from '../command.mjs'
import { has } from './make-release.mjs'

/** @throws Error before anything is published, when the commit is no release or a tool is missing */
export async function publishRelease({ version, folder, files, images, isClean }, registry) {
  const tag = `v${version}`
  if (!isClean)
    throw new Error(
      `commit the closed section of ${version} first: node scripts/release.mjs --prepare ${version}`,
    )
  if (!(await run('git', ['tag', '--points-at', 'HEAD'])).split('\n').includes(tag))
    throw new Error(`the commit has no tag ${tag}: git tag ${tag}`)
  if (!images || !(await has('skopeo'))) throw new Error('a release has images: install buildah and skopeo')
  if (!(await has('gh'))) throw new Error('the release page needs gh, the command of GitHub')
  for (const [target, { archive, digest }] of Object.entries(images)) {
    const [from, to] = [`oci-archive:${join(folder, archive)}`, `docker://${registry}/${target}:${version}`]
    // The manifests name these digests.
    await run('skopeo', ['copy', '--all', '--preserve-digests', from, to])
    console.log(`${registry}/${target}:${version} ${digest}`)
  }
  for (const tarball of files.filter(file => file.endsWith('.tgz'))) {
    await run('npm', ['publish', join(folder, tarball), '--access', 'public', '--provenance'])
    console.log(tarball)
  }
  const paths = files.filter(file => !file.endsWith('.oci.tar')).map(file => join(folder, file))
  await run('gh', [
    'release',
    'create',
    tag,
    '--verify-tag',
    '--notes-file',
    join(folder, 'notes.md'),
    ...paths,
  ])
  console.log(`release ${tag}`)
}
