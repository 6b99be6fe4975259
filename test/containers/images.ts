// The images of the services, built from infra/docker/Dockerfile as `docker build` would.
import { homedir } from 'node:os'
import { join } from 'node:path'
import { SERVICES } from '@payment-tracking/stack'
import { ROOT, run, step } from './machine.js'

export const IMAGES = ['migrate', ...SERVICES]

export const imageName = (image: string, version = 'local') =>
  `docker.io/payment-tracking/${image}:${version}`

/**
 * Builds every target. Layers that did not change since the last run are taken from the store.
 * @param signal ends it before the next target
 */
export async function buildImages(signal: AbortSignal): Promise<void> {
  const options = [
    '--isolation',
    'chroot',
    '--layers',
    '--pull-never',
    '--network',
    'host',
    '--format',
    'docker',
  ]
  // npm's cache of this machine: the packages were downloaded by `npm ci` a moment ago.
  const cache = ['--volume', `${join(homedir(), '.npm')}:/root/.npm`]
  for (const image of IMAGES) {
    if (signal.aborted) return
    const target = ['--file', 'infra/docker/Dockerfile', '--target', image, '--tag', imageName(image)]
    await step(`image ${image}`, () => run('buildah', ['build', ...options, ...cache, ...target, ROOT]))
  }
}
