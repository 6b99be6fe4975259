// The images of a release, by Buildah: one archive for each, which holds every platform, and its digest. Buildah needs no
// daemon. Its own settings (BUILDAH_ISOLATION, STORAGE_DRIVER …) hold here too. The archives are OCI's, a format without
// HEALTHCHECK: Compose builds images of its own, and Kubernetes has probes.
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { has, readRoot, run } from './repository.mjs'

/** The targets of the Dockerfile that can be run. */
export const readTargets = () =>
  [...readRoot('infra/docker/Dockerfile').matchAll(/^FROM (?:production|serving) AS ([\w-]+)$/gm)]
    .map(([, target]) => target)
    .filter(target => target !== 'serving')

/** @param wish `yes`, `no`, or `auto`: where Buildah is. @throws Error when it must be there, and is not */
export function choosesImages(wish) {
  if (wish === 'no') return false
  if (has('buildah')) return true
  if (wish === 'auto') return false
  throw new Error('--images yes needs buildah: apt-get install buildah')
}

const labelsOf = ({ version, commit, date, source }, target) => ({
  'org.opencontainers.image.version': version,
  'org.opencontainers.image.revision': commit,
  'org.opencontainers.image.created': date,
  'org.opencontainers.image.title': `payment-tracking ${target}`,
  ...(source && { 'org.opencontainers.image.source': source }),
})

/** @returns by target: the archive's name in `folder`, and the digest that a registry would name */
export function buildImages(release, { folder, platforms }, say) {
  const { version } = release
  const base = process.env.NODE_IMAGE ? ['--build-arg', `NODE_IMAGE=${process.env.NODE_IMAGE}`] : []
  return Object.fromEntries(
    readTargets().map(target => {
      say(`image ${target} (${platforms}) …`)
      const labels = Object.entries(labelsOf(release, target)).flatMap(([name, value]) => [
        '--label',
        `${name}=${value}`,
      ])
      const name = `payment-tracking-release/${target}:${version}`
      const archive = `${target}-${version}.oci.tar`
      const digestFile = join(folder, `${target}.digest`)
      try {
        run('buildah', ['manifest', 'rm', name])
      } catch {
        // There was none.
      }
      run('buildah', [
        ...['build', '--format', 'oci', '--layers', '--platform', platforms, '--manifest', name],
        ...[...labels, ...base, '--file', 'infra/docker/Dockerfile', '--target', target, '.'],
      ])
      const to = `oci-archive:${join(folder, archive)}:${version}`
      run('buildah', ['manifest', 'push', '--all', '--format', 'oci', '--digestfile', digestFile, name, to])
      const digest = readFileSync(digestFile, 'utf8').trim()
      rmSync(digestFile)
      return [target, { archive, digest }]
    }),
  )
}
