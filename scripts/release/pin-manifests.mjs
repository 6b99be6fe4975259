// The Kubernetes manifests of a release: infra/kubernetes, whose overlays name each image by its digest.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT, run } from './repository.mjs'

const OVERLAYS = [...['production', 'devnet'].flatMap(name => [name, `${name}/migration`]), 'large']
const IMAGE = /^( *)- name: payment-tracking\/([\w-]+)\n(?: +new(?:Name|Tag): .*\n)*/gm

/** @returns the text of a kustomization, each image of ours with its digest. @throws Error where an image has none */
export const pinImages = (kustomization, images, registry) =>
  kustomization.replace(IMAGE, (_, indent, target) => {
    const image = images[target]
    if (!image)
      throw new Error(`a kustomization names the image ${target}, which the Dockerfile does not make`)
    return [
      `${indent}- name: payment-tracking/${target}`,
      `${indent}  newName: ${registry}/${target}`,
      `${indent}  digest: ${image.digest}`,
      '',
    ].join('\n')
  })

/** @returns the archive's name in `folder` */
export function packManifests({ version, images }, { folder, registry }) {
  const place = mkdtempSync(join(tmpdir(), 'payment-tracking-manifests-'))
  const name = `kubernetes-${version}`
  try {
    cpSync(join(ROOT, 'infra/kubernetes'), join(place, name), { recursive: true })
    for (const overlay of OVERLAYS) {
      const file = join(place, name, 'overlays', overlay, 'kustomization.yaml')
      writeFileSync(file, pinImages(readFileSync(file, 'utf8'), images, registry))
    }
    run('tar', [
      '--sort=name',
      '--owner=0',
      '--group=0',
      '-czf',
      join(folder, `${name}.tar.gz`),
      '-C',
      place,
      name,
    ])
  } finally {
    rmSync(place, { recursive: true })
  }
  return `${name}.tar.gz`
}
