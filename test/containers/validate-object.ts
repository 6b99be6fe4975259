// Objects of Kubernetes, as far as the tests read them, and their check against the published schemas.
export interface Volume {
  name: string
  secret?: { secretName: string }
}

export interface PodSpec {
  terminationGracePeriodSeconds: number
  dnsConfig?: { options: { name: string; value: string }[] }
  volumes?: Volume[]
  containers: {
    image: string
    env?: { name: string; value: string }[]
    envFrom?: { configMapRef: { name: string } }[]
    ports?: { name: string; containerPort: number }[]
    lifecycle?: { preStop: { exec: { command: string[] } } }
    startupProbe?: Probe
    readinessProbe?: Probe
    livenessProbe?: Probe
    securityContext: object
    volumeMounts?: { name: string }[]
  }[]
}
interface Probe {
  httpGet: { path: string; port: string }
}

export interface KubernetesObject {
  apiVersion: string
  kind: string
  metadata: { name: string; labels?: Record<string, string> }
  data?: Record<string, string>
  spec?: {
    selector: { matchLabels: Record<string, string> }
    ports?: { targetPort: string }[]
    template?: { metadata: { labels: Record<string, string> }; spec: PodSpec }
  }
}

/** Objects of operators, and the packages that hold their schemas. */
const PACKAGES: Readonly<Record<string, string>> = {
  'keda.sh': '@kubernetes-models/keda',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
  'gateway.networking.k8s.io': '@kubernetes-models/gateway-api',
}

type Model = new (data: object) => { validate(): void }

/** @returns what is wrong with the object by the schema of its kind, or undefined */
export async function validateObject(object: KubernetesObject): Promise<string | undefined> {
  const [group = ''] = object.apiVersion.split('/')
  const models = (await import(`${PACKAGES[group] ?? 'kubernetes-models'}/${object.apiVersion}`)) as Record<
    string,
    Model
  >
  const Model = models[object.kind]
  if (!Model) return `there is no ${object.kind} in ${object.apiVersion}`
  try {
    new Model(object).validate()
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
