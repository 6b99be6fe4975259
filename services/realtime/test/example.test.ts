import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { usePods } from './use-pods.js'

const EXAMPLE = fileURLToPath(new URL('../../../docs/examples/steady-client.mjs', import.meta.url))

t.test('the client of the documentation misses no payment when its pod is replaced', async t => {
  const pods = await usePods(t, { 'realtime.healEveryMs': '3600000' })
  const pod = await pods.start()
  await pods.commit({ trackingId: 'order-42', count: 120 })
  const child = spawn(process.execPath, [EXAMPLE, pod.url, 'order-42', '10'])
  t.teardown(() => child.kill())
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const received = () => [...output.matchAll(/^payment (\d+): 1000 to /gm)].map(([, seq]) => Number(seq))
  await waitFor(() => received().length === 110, { what: 'two pages of replay' })
  await pods.pay({ trackingId: 'order-42' })
  await waitFor(() => received().length === 111, { what: 'a pushed payment' })
  t.equal(await pod.service.stop(), 0)
  await pods.pay({ trackingId: 'order-42' })
  await pods.start({ PORT: new URL(pod.url).port })
  await waitFor(() => received().length === 112, { what: 'what came meanwhile' })
  const wanted = Array.from({ length: 112 }, (_, index) => 11 + index)
  t.same(received(), wanted)
  t.notMatch(output, /Error/)
})
