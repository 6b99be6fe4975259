// Stands in for kubectl where there is no cluster, so that infra/kubernetes/upgrade.sh can run. Each Deployment and each Job
// becomes one pod of podman. Two environment variables set the names:
// - PODS is the name of podman's network. The pod of the Deployment `api` is called `<PODS>-api`.
// - VERSION is the tag of the images. The images were built on this machine.
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { stringify } from 'yaml'
import { imageName } from './images.js'
import { inHome, run } from './machine.js'
import { build, of, podOf } from './read-manifests.js'
import type { KubernetesObject } from './validate-object.js'

const { PODS = '', VERSION } = process.env
const podName = (name: string) => `${PODS}-${name}`

/**
 * Makes the pod of a Deployment or Job, and changes it where podman 4.3 differs from Kubernetes:
 * - It has no volumes of secrets. Their files lie below `<PODS>-secrets`.
 * - Volumes of all pods share one set of names.
 * - It opens every port of a container on the machine.
 * - It runs no probe without systemd.
 */
function plainPod(object: KubernetesObject) {
  const [pod, name] = [podOf(object), podName(object.metadata.name)]
  const nameOf = (volume: string) => `${name}-${volume}`
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: object.spec!.template!.metadata.labels },
    spec: {
      ...pod,
      volumes: pod.volumes?.map(({ name, secret, ...rest }) => ({
        name: nameOf(name),
        ...rest,
        ...(secret && { hostPath: { path: inHome(`${PODS}-secrets`, secret.secretName) } }),
      })),
      containers: pod.containers.map(
        ({ ports: _, startupProbe: _s, readinessProbe: _r, livenessProbe: _l, ...container }) => ({
          ...container,
          volumeMounts: container.volumeMounts?.map(({ name, ...rest }) => ({ name: nameOf(name), ...rest })),
          image: imageName(/([^/:]+)(:[^/]*)?$/.exec(container.image)![1]!, VERSION),
          imagePullPolicy: 'Never',
        }),
      ),
    },
  }
}

const buildFolder = (folder: string) => build(folder.replace('infra/kubernetes/', ''))

async function apply(folder: string): Promise<void> {
  const objects = await buildFolder(folder)
  const pods = [...of('Job', objects), ...of('Deployment', objects)].map(plainPod)
  const file = inHome(`${PODS}.yaml`)
  writeFileSync(file, [...of('ConfigMap', objects), ...pods].map(each => stringify(each)).join('---\n'))
  await run('podman', ['play', 'kube', '--replace', '--network', `${PODS}_data`, file])
  rmSync(file)
}

/** As Kubernetes does since 1.31: a condition that says how the Job will end comes before the one that says it ended. */
async function conditionsOf(job: string): Promise<string> {
  const format = '{{.State.Status}} {{.State.ExitCode}}'
  const [status, code] = (await run('podman', ['inspect', '--format', format, `${podName(job)}-app`]))
    .trim()
    .split(' ')
  if (status !== 'exited') return ''
  const marker = inHome(`${podName(job)}-asked`)
  const asked = existsSync(marker)
  if (asked) rmSync(marker)
  else writeFileSync(marker, '')
  const [first, last] = code === '0' ? ['SuccessCriteriaMet', 'Complete'] : ['FailureTarget', 'Failed']
  return asked ? `${first} ${last}` : first
}

const [verb, ...rest] = process.argv.slice(process.argv[2] === '--namespace' ? 4 : 2)
if (verb === 'kustomize')
  console.log((await buildFolder(rest[0]!)).map(each => stringify(each)).join('---\n'))
else if (verb === 'apply') await apply(rest[1]!)
else if (verb === 'delete') await run('podman', ['pod', 'rm', '--force', podName(rest[1]!)]).catch(() => {})
else if (verb === 'get') console.log(await conditionsOf(rest[1]!))
else throw new Error(`no stand-in for kubectl ${verb}`)
