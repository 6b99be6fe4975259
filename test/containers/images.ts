// The images of the services, built from infra/docker/Dockerfile as `docker build` would.
import { readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { SERVICES } from '@payment-tracking/stack'
import { inHome, ROOT, run, step } from './machine.js'

export const IMAGES = ['migrate', ...SERVICES]

export const imageName = (image: string, version = 'local') =>
  `docker.io/payment-tracking/${image}:${version}`

/** A stage that needs every image: one build makes all of them. A build of each would hash all that they share again. */
const EVERY_IMAGE = 'every-image'

/**
 * What buildah prints: `[2/9] STEP 1/6: FROM node AS build` begins a stage, `--> ID` ends each of its steps. A stage
 * that waits for another prints its ID after the other's steps. An image never waits in its last step, so the first ID after a
 * stage's last step is the image of that stage.
 * @returns the image of each stage by the stage's name
 */
function readStages(output: string): Map<string, string> {
  const names = new Map<string, string>()
  const ids = new Map<string, string>()
  let ending: string | undefined
  for (const line of output.split('\n')) {
    const [, stage, name] = /^\[(\d+)\/\d+\] STEP 1\/\d+: FROM .* AS (\S+)$/.exec(line) ?? []
    if (stage) names.set(stage, name!)
    ending = /^\[(\d+)\/\d+\] STEP (\d+)\/\2: /.exec(line)?.[1] ?? ending
    const id = /^--> ([0-9a-f]{11,})$/.exec(line)?.[1]
    if (!id || !ending) continue
    ids.set(names.get(ending)!, id)
    ending = undefined
  }
  return ids
}

/**
 * Builds every target, and names it. Layers that did not change since the last run are taken from the store.
 * @param signal ends it before the images are named
 */
export async function buildImages(signal: AbortSignal): Promise<void> {
  const dockerfile = inHome('every-image.dockerfile')
  const needed = IMAGES.map(image => `COPY --from=${image} /etc/os-release /${image}\n`)
  const written = readFileSync(join(ROOT, 'infra/docker/Dockerfile'), 'utf8')
  writeFileSync(dockerfile, `${written}\nFROM scratch AS ${EVERY_IMAGE}\n${needed.join('')}`)
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
  const target = ['--file', dockerfile, '--target', EVERY_IMAGE]
  const output = await step('images', () => run('buildah', ['build', ...options, ...cache, ...target, ROOT]))
  const stages = readStages(output)
  for (const image of IMAGES) {
    if (signal.aborted) return
    await run('buildah', ['tag', stages.get(image)!, imageName(image)])
  }
}
