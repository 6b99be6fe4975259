import t from 'tap'
import { openConnections } from '../src/requests/connections.js'
import { resolveTarget, type PinnedAddress } from '../src/requests/resolve-target.js'

const v4 = (n: number): PinnedAddress => ({ address: `203.10.${n >> 8}.${n & 255}`, family: 4 })
const v6 = (n: number): PinnedAddress => ({ address: `2606:4700::${n.toString(16)}`, family: 6 })
const many = [
  ...Array.from({ length: 4_000 }, (_, n) => v4(n)),
  ...Array.from({ length: 50 }, (_, n) => v6(n)),
]

const resolve = (addresses: PinnedAddress[], allowPrivateTargets = false) =>
  resolveTarget('shop.example', false, { allowPrivateTargets, resolve: async () => addresses })

t.test('a name with thousands of addresses, in any order, keeps one pool of at most 16', async t => {
  const connections = openConnections({ timeoutMs: 1_000 })
  t.teardown(() => connections.close())
  const pools = new Set<unknown>()
  for (let turned = 0; turned < 4_050; turned += 450) {
    const addresses = await resolve([...many.slice(turned), ...many.slice(0, turned)])
    t.equal(addresses.length, 16)
    t.strictSame([...new Set(addresses.map(({ family }) => family))], [4, 6], 'of both families')
    pools.add(connections.to('https://shop.example', addresses))
  }
  t.equal(pools.size, 1)
  t.equal(connections.pools, 1)
})

t.test('every address is checked, also those that are not used', async t => {
  await t.rejects(resolve([...many, { address: '10.0.0.1', family: 4 }]), { message: /private or reserved/ })
})
