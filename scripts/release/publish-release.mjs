// Publishes what makeRelease made: packages, images, and the release's page with every file.
import { join } from 'node:path'
import { has, run } from './repository.mjs'

/** @throws Error before anything is published, when the commit is no release or a tool is missing */
export function publishRelease({ version, folder, files, images, isClean }, { registry }, say) {
  const tag = `v${version}`
  if (!isClean)
    throw new Error(`commit the closed section of ${version} first: npm run release -- --prepare ${version}`)
  if (!run('git', ['tag', '--points-at', 'HEAD']).split('\n').includes(tag))
    throw new Error(`the commit has no tag ${tag}: git tag ${tag}`)
  if (!images) throw new Error('a release has images: install buildah')
  if (!has('gh')) throw new Error('the release page needs gh, the command of GitHub')
  for (const [target] of Object.entries(images)) {
    const name = `payment-tracking-release/${target}:${version}`
    run('buildah', ['manifest', 'push', '--all', name, `docker://${registry}/${target}:${version}`])
    say(`${registry}/${target}:${version}`)
  }
  for (const tarball of files.filter(file => file.endsWith('.tgz'))) {
    run('npm', ['publish', join(folder, tarball), '--access', 'public', '--provenance'])
    say(tarball)
  }
  const paths = files.filter(file => !file.endsWith('.oci.tar')).map(file => join(folder, file))
  run('gh', ['release', 'create', tag, '--verify-tag', '--notes-file', join(folder, 'notes.md'), ...paths])
  say(`release ${tag}`)
}
