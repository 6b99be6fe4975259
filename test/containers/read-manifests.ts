// The objects of infra/kubernetes, as Kustomize builds them, and what the tests ask of them.
import { parseAllDocuments } from 'yaml'
import { programPath } from './install.js'
import { run } from './machine.js'
import type { KubernetesObject, PodSpec } from './validate-object.js'

export const OVERLAYS = ['production', 'devnet', 'large']
/** The objects that Kustomize makes of a folder below infra/kubernetes. */
export const build = async (folder: string): Promise<KubernetesObject[]> =>
  parseAllDocuments(await run(programPath('kustomize'), ['build', `infra/kubernetes/${folder}`])).map(
    document => document.toJS() as KubernetesObject,
  )

export const base = await build('base')
export const migration = await build('migration')
export const of = (kind: string, objects = base) => objects.filter(object => object.kind === kind)
export const podOf = (object: KubernetesObject) => object.spec!.template!.spec
/** What the settings of a container come to, with those of ConfigMaps. */
export const settingsOf = (pod: PodSpec, objects: readonly KubernetesObject[]): Record<string, string> => {
  const [container] = pod.containers
  const maps = (container!.envFrom ?? []).map(
    ({ configMapRef }) =>
      objects.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === configMapRef.name)!
        .data!,
  )
  return Object.assign(
    {},
    ...maps,
    Object.fromEntries((container!.env ?? []).map(({ name, value }) => [name, value])),
  ) as Record<string, string>
}
