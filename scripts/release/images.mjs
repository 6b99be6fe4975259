// The images of a release, by Buildah: one archive for each, which holds every platform, and its digest. Buildah needs no
// daemon. Its own settings (BUILDAH_ISOLATION, STORAGE_DRIVER …) hold here too. The archives are OCI's, a format without
// HEALTHCHECK: Compose builds images of its own, and Kubernetes has probes.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../command.mjs'
import { readRoot } from './version.mjs'

/** The targets of the Dockerfile that can be run. */
export const readTargets = () =>
  [...readRoot('infra/docker/Dockerfile').matchAll(/^FROM (?:production|serving) AS ([\w-]+)$/gm)]
    .map(([, target]) => target)
    .filter(target => target !== 'serving')

/** By their names in an image: what Node and what the kernel calls the architectures. */
const ARCHITECTURES = { amd64: ['x64', 'x86_64'], arm64: ['arm64', 'aarch64'] }
const EMULATORS = '/proc/sys/fs/binfmt_misc'

/**
 * Finds out whether each platform can be built here. Without an emulator Buildah fails in the middle of a build, and its error
 * names no cause.
 * @param emulators the kernel's names of them, such as `qemu-aarch64`
 * @throws Error with the first platform that cannot be built, and the package to install
 */
export function checkPlatforms(platforms, emulators = existsSync(EMULATORS) ? readdirSync(EMULATORS) : []) {
  for (const platform of platforms.split(',')) {
    const [, architecture] = /^linux\/(amd64|arm64)$/.exec(platform) ?? []
    if (!architecture) throw new Error(`--platforms takes linux/amd64 and linux/arm64, not ${platform}`)
    const [own, foreign] = ARCHITECTURES[architecture]
    if (process.arch !== own && !emulators.some(name => name.endsWith(foreign)))
      throw new Error(
        `${platform} cannot be built: ${EMULATORS} has no emulator of it; apt-get install qemu-user-static, or leave ${platform} out of --platforms`,
      )
  }
}

/** @returns by target: the archive's name in `folder`, and the digest that a registry would name */
export async function buildImages({ version, commit, date, source }, { folder, platforms }) {
  const base = process.env.NODE_IMAGE ? [`--build-arg=NODE_IMAGE=${process.env.NODE_IMAGE}`] : []
  const images = {}
  for (const target of readTargets()) {
    console.log(`image ${target} (${platforms}) …`)
    const labels = { version, revision: commit, created: date, title: `payment-tracking ${target}` }
    if (source) labels.source = source
    const options = Object.entries(labels).map(
      ([name, value]) => `--label=org.opencontainers.image.${name}=${value}`,
    )
    const name = `payment-tracking-release/${target}:${version}`
    const archive = `${target}-${version}.oci.tar`
    const digestFile = join(folder, `${target}.digest`)
    // Buildah would add the new image to the manifest of an earlier build.
    await run('buildah', ['manifest', 'rm', name]).catch(() => {})
    await run('buildah', [
      ...['build', '--format=oci', '--layers', `--platform=${platforms}`, '--manifest', name],
      ...[...options, ...base, '--file=infra/docker/Dockerfile', '--target', target, '.'],
    ])
    const to = `oci-archive:${join(folder, archive)}:${version}`
    await run('buildah', ['manifest', 'push', '--all', '--format=oci', '--digestfile', digestFile, name, to])
    images[target] = { archive, digest: readFileSync(digestFile, 'utf8').trim() }
    rmSync(digestFile)
  }
  return images
}
