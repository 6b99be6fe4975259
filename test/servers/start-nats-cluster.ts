// Three NATS servers with JetStream on this machine. Their routes lead through links that a test can cut.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findQuietPort, findServerProgram } from '@payment-tracking/stack'
import {
  openLink,
  startProgram,
  waitFor,
  type Link,
  type StartedProgram,
  type TestContext,
} from '@payment-tracking/testkit'

const SERVERS = 3
const PATIENCE = { timeoutMs: 60_000 }

/** Starts the servers, and ends them with the test. */
export async function startNatsCluster(t: TestContext) {
  const program = await findServerProgram('nats')
  const ports = new Set<number>()
  while (ports.size < 3 * SERVERS) ports.add(await findQuietPort())
  const [...free] = ports
  const members = Array.from({ length: SERVERS }, (_, at) => ({
    at,
    name: `nats-${at + 1}`,
    client: free[at * 3]!,
    route: free[at * 3 + 1]!,
    monitor: free[at * 3 + 2]!,
  }))
  const routes: { ends: [number, number]; link: Link }[] = []
  const nodes = await Promise.all(
    members.map(async ({ at, name, client, route, monitor }) => {
      const urls: string[] = []
      for (const other of members) {
        if (other.at === at) continue
        const link = await openLink(t, `nats-route://127.0.0.1:${other.route}`)
        routes.push({ ends: [at, other.at], link })
        urls.push(`"${link.url}"`)
      }
      const dir = await mkdtemp(join(tmpdir(), 'payment-tracking-nats-'))
      t.teardown(() => rm(dir, { recursive: true, force: true }))
      const file = join(dir, 'nats.conf')
      await writeFile(
        file,
        [
          `server_name: ${name}`,
          `listen: "127.0.0.1:${client}"`,
          `http: "127.0.0.1:${monitor}"`,
          `jetstream { store_dir: "${dir}" }`,
          'cluster {',
          '  name: tests',
          `  listen: "127.0.0.1:${route}"`,
          // Servers tell each other their addresses. Over those they would go around the links.
          '  advertise: "127.0.0.1:1"',
          `  routes: [${urls.join(', ')}]`,
          '}',
        ].join('\n'),
      )
      let outputs = ''
      let server: StartedProgram = startProgram(t, program.file, ['-c', file], { env: program.env })
      const node = {
        name,
        url: `nats://127.0.0.1:${client}`,
        kill: () => server.kill(),
        /** Starts the killed server again, with its data. */
        restart: async () => {
          await server.kill()
          outputs += server.output
          server = startProgram(t, program.file, ['-c', file], { env: program.env })
          await waitFor(() => ask(monitor, '/varz'), { what: `${name} to answer`, ...PATIENCE })
        },
        get output() {
          return outputs + server.output
        },
      }
      return Object.assign(node, { monitor })
    }),
  )
  const isSettled = async () => {
    const views = await Promise.all(nodes.map(({ monitor }) => listStreams(monitor)))
    const sizes = views.map(streams => streams.length)
    if (new Set(sizes).size > 1) return false
    return views[0]!.every(({ name }) => {
      const here = views.map(streams => streams.find(each => each.name === name))
      const led = here.find((stream, at) => stream?.cluster?.leader === nodes[at]!.name)
      const isCurrent = led?.cluster?.replicas?.every(({ current }) => current) ?? false
      return isCurrent && new Set(here.map(stream => stream?.state.last_seq)).size === 1
    })
  }
  const settle = () =>
    waitFor(isSettled, {
      what: 'the streams to be the same on every server',
      ...PATIENCE,
      intervalMs: 200,
    }).then(() => {})
  await waitFor(
    async () => {
      const views = await Promise.all(nodes.map(({ monitor }) => ask(monitor, '/jsz')))
      return views.every(view => (view as { meta_cluster?: { leader?: string } }).meta_cluster?.leader)
    },
    { what: 'the cluster', ...PATIENCE },
  )
  return {
    /** What a service is told. */
    env: { NATS_URL: nodes.map(({ url }) => url).join(','), STREAM_REPLICAS: '3' },
    nodes,
    /** The server that leads a stream now. */
    leaderOf: (stream: string) =>
      waitFor(
        async () => {
          for (const node of nodes) {
            const streams = await listStreams(node.monitor).catch(() => [])
            const found = streams.find(({ name }) => name === stream)
            if (found?.cluster?.leader === node.name) return node
          }
          return undefined
        },
        { what: `a leader of ${stream}`, ...PATIENCE },
      ),
    /** Waits until every stream has a leader and both its followers have all that it has. */
    settle,
    /** No byte passes between this server and the others any more, and no connection breaks. */
    cut(node: (typeof nodes)[number]) {
      const at = nodes.findIndex(each => each === node)
      for (const { ends, link } of routes) if (ends.includes(at)) link.stall(true)
    },
    heal: () => {
      for (const { link } of routes) {
        // What waited is lost with its connection.
        link.cut()
        link.stall(false)
      }
    },
  }
}

interface StreamView {
  name: string
  state: { last_seq: number }
  cluster?: { leader?: string; replicas?: { name: string; current: boolean }[] }
}

async function ask(port: number, path: string): Promise<unknown> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(2_000) })
  return answer.json()
}

async function listStreams(port: number): Promise<StreamView[]> {
  const view = (await ask(port, '/jsz?accounts=true&streams=true')) as {
    account_details?: { stream_detail?: StreamView[] }[]
  }
  return (view.account_details ?? []).flatMap(({ stream_detail: streams = [] }) => streams)
}
