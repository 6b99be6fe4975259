// SIGKILL of the working indexer, of NATS and of a node, in any order, while payments continue: no payment is lost or
// invented. SEED=n repeats a run.
import { setTimeout as sleep } from 'node:timers/promises'
import { mulberry32, openPrivateServers, waitFor, type StartedService } from '@payment-tracking/testkit'
import t from 'tap'
import { openRig, pay } from './open-rig.js'

const seed = Number(process.env.SEED ?? 1)
t.comment(`SEED=${seed}`)

const random = mulberry32(seed)
const FAULTS = ['indexer', 'nats', 'node', 'indexer', 'nats and indexer', 'node and indexer'] as const

for (const commitment of ['finalized', 'confirmed'])
  t.test(`payments survive every kill at ${commitment}`, async t => {
    const servers = await openPrivateServers(t)
    const rig = await openRig(t, {
      nodes: 2,
      natsUrl: servers.natsUrl,
      env: { INDEXER_COMMITMENT: commitment },
    })
    const running: StartedService[] = [await rig.start(), await rig.start()]
    const expected = new Set<string>()
    let recordId = 0
    const paying = setInterval(() => {
      rig.chain.advance()
      if (random() < 0.5) expected.add(rig.chain.execute([pay('a', (recordId += 1))]).signature)
    }, 40)
    t.teardown(() => clearInterval(paying))
    const leader = () =>
      running.findLast(service => service.logs.some(({ msg }) => msg === 'indexer.leading')) ?? running[0]!
    const order = [...FAULTS].sort(() => random() - 0.5).slice(0, 4)
    for (const fault of order) {
      t.comment(fault)
      await sleep(300 + random() * 1_500)
      const node = rig.nodes[Math.floor(random() * 2)]!
      if (fault.includes('node')) node.faults.down = true
      if (fault.includes('nats')) await servers.private.nats!.kill()
      if (fault.includes('indexer')) {
        const killed = leader()
        await killed.stop('SIGKILL')
        running.splice(running.indexOf(killed), 1)
      }
      await sleep(random() * 1_000)
      if (fault.includes('nats')) await servers.private.nats!.restart()
      node.faults.down = false
      if (fault.includes('indexer')) running.push(await rig.start())
    }
    clearInterval(paying)
    await rig.settle()
    const seen = () => rig.events()
    await waitFor(
      async () => new Set((await seen()).map(({ body }) => body.signature)).size >= expected.size,
      {
        what: 'every payment',
      },
    )
    const events = await seen()
    t.same(new Set(events.map(({ body }) => body.signature)), expected, `${expected.size} payments`)
    const contents = new Set(events.map(({ body }) => JSON.stringify({ ...body, commitment: '' })))
    t.equal(contents.size, expected.size, 'what is published twice is the same')
    t.same(await rig.controls('retracted'), [])
    t.ok(await rig.gapsClosed())
  })
