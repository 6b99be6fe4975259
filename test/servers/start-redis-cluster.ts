// A Redis Cluster of three primaries, each with a replica, on this machine.
import { waitFor, type TestContext } from '@payment-tracking/testkit'
import { Redis } from 'ioredis'
import { startRedis, type OwnRedis } from './start-redis.js'

const SLOTS = 16_384
const PRIMARIES = 3
const PATIENCE = { timeoutMs: 60_000 }

interface Node extends OwnRedis {
  id: string
  client: Redis
}

/** Starts the nodes, and ends them with the test. */
export async function startRedisCluster(t: TestContext) {
  const settings = [
    'cluster-enabled yes',
    'cluster-node-timeout 1500',
    // Moving slots by hand must not be undone.
    'cluster-allow-replica-migration no',
    'repl-diskless-sync-delay 0',
  ]
  const nodes: Node[] = await Promise.all(
    Array.from({ length: 2 * PRIMARIES }, async () => {
      const server = await startRedis(t, settings)
      const client = new Redis(server.url, { maxRetriesPerRequest: null, retryStrategy: () => 100 })
      client.on('error', () => {})
      t.teardown(() => client.disconnect())
      const id = await client.cluster('MYID')
      return Object.assign(server, { id, client })
    }),
  )
  const [first] = nodes as [Node]
  for (const node of nodes) await node.client.cluster('MEET', '127.0.0.1', first.port, first.busPort)
  const primaries = nodes.slice(0, PRIMARIES)
  for (const [index, { client }] of primaries.entries()) {
    const from = Math.ceil((SLOTS * index) / PRIMARIES)
    await client.call('CLUSTER', 'ADDSLOTSRANGE', from, Math.ceil((SLOTS * (index + 1)) / PRIMARIES) - 1)
  }
  const roleOf = async ({ client }: Node) => (await client.role()) as unknown as [string, ...unknown[]]
  const isPrimary = async (node: Node) => (await roleOf(node))[0] === 'master'
  /** Every node knows every other, all slots are served, and every replica has its primary's data. */
  const settled = async () => {
    const views = await Promise.all(
      nodes.map(async node => {
        const info = await node.client.cluster('INFO')
        const role = await roleOf(node)
        const inSync = role[0] === 'master' || role[3] === 'connected'
        const known = (await node.client.cluster('NODES')) as string
        const failed = known.split('\n').some(line => /fail/.test(line.split(' ')[2] ?? ''))
        return inSync && !failed && /cluster_state:ok/.test(info) && /cluster_known_nodes:6/.test(info)
      }),
    )
    const roles = await Promise.all(nodes.map(isPrimary))
    return views.every(Boolean) && roles.filter(Boolean).length === PRIMARIES
  }
  await waitFor(async () => /cluster_known_nodes:6/.test(await first.client.cluster('INFO')), {
    what: 'the nodes to know each other',
    ...PATIENCE,
  })
  for (const [index, { client }] of nodes.slice(PRIMARIES).entries()) {
    const { id } = primaries[index]!
    await waitFor(() => client.cluster('REPLICATE', id).then(() => true), { what: 'a replica', ...PATIENCE })
  }
  await waitFor(settled, { what: 'the cluster', ...PATIENCE })

  const findOwner = (key: string) =>
    waitFor(
      async () => {
        for (const node of nodes) {
          // Only the primary of a slot answers without a redirection.
          const served = await Promise.race([node.client.exists(key), after(500)]).catch(() => undefined)
          if (served !== undefined && (await isPrimary(node))) return node
        }
        return undefined
      },
      { what: `a primary for ${key}`, ...PATIENCE },
    )

  return {
    /** What a service is told; a package takes the same with `REDIS_CLUSTER: true`. */
    env: {
      REDIS_URL: nodes.map(({ port }) => `redis://127.0.0.1:${port}`).join(', '),
      REDIS_CLUSTER: 'on',
    },
    /** Looks into the primary that serves a key. */
    inside: async (key: string) => (await findOwner(key)).client,
    /** Kills each primary of now in turn: its replica takes its place, and it comes back as a replica, without its data. */
    async failOverEach(between: () => Promise<unknown> = () => Promise.resolve()) {
      const before: Node[] = []
      for (const node of nodes) if (await isPrimary(node)) before.push(node)
      for (const node of before) {
        const others = nodes.filter(other => other !== node)
        await node.kill()
        await waitFor(
          async () => (await Promise.all(others.map(isPrimary))).filter(Boolean).length === PRIMARIES,
          { what: 'a replica to be promoted', ...PATIENCE },
        )
        await between()
        await node.restart()
        await waitFor(settled, { what: 'the killed primary to come back as a replica', ...PATIENCE })
      }
    },
    /** Moves the slot of a key to another primary, key by key. */
    async moveSlotOf(key: string) {
      const slot = await first.client.cluster('KEYSLOT', key)
      const source = await findOwner(key)
      let target: Node | undefined
      for (const node of nodes) if (node !== source && (await isPrimary(node))) target = node
      await target!.client.cluster('SETSLOT', slot, 'IMPORTING', source.id)
      await source.client.cluster('SETSLOT', slot, 'MIGRATING', target!.id)
      for (;;) {
        const keys = await source.client.cluster('GETKEYSINSLOT', slot, 10)
        if (keys.length === 0) break
        await source.client.call(
          'MIGRATE',
          '127.0.0.1',
          target!.port,
          '',
          0,
          5_000,
          'REPLACE',
          'KEYS',
          ...keys,
        )
      }
      for (const node of [target!, source]) await node.client.cluster('SETSLOT', slot, 'NODE', target!.id)
      await waitFor(async () => (await findOwner(key)) === target, { what: 'the slot to move', ...PATIENCE })
    },
  }
}

const after = (ms: number) =>
  new Promise<undefined>(resolve => setTimeout(() => resolve(undefined), ms).unref())

export type RedisCluster = Awaited<ReturnType<typeof startRedisCluster>>
