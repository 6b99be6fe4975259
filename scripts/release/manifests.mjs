// The Kubernetes manifests of a release: infra/kubernetes, whose overlays name each image by its digest.
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, run } from '../command.mjs'

const IMAGE = /^( *)- name: payment-tracking\/([\w-]+)\n(?: +new(?:Name|Tag): .*\n)*/gm

/** @returns the text of a kustomization, each image of ours with its digest. @throws Error where an image has none */
export const pinImages = (kustomization, images, registry) =>
  kustomization.replace(IMAGE, (_, indent, target) => {
    if (!images[target])
      throw new Error(`a kustomization names the image ${target}, which the Dockerfile does not make`)
    return `${indent}- name: payment-tracking/${target}
${indent}  newName: ${registry}/${target}
${indent}  digest: ${images[target].digest}
`
  })

/** @returns the archive's name in `folder` */
export async function packManifests({ version, images }, { folder, registry }) {
  const name = `kubernetes-${version}`
  const target = join(folder, name)
  cpSync(join(ROOT, 'infra/kubernetes'), target, { recursive: true })
  for (const path of readdirSync(target, { recursive: true })) {
    if (!path.endsWith('kustomization.yaml')) continue
    const file = join(target, path)
    writeFileSync(file, pinImages(readFileSync(file, 'utf8'), images, registry))
  }
  const archive = `${name}.tar.gz`
  await run('tar', ['--sort=name', '--owner=0', '--group=0', '-czf', `${target}.tar.gz`, '-C', folder, name])
  rmSync(target, { recursive: true })
  return archive
}
