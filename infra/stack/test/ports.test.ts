import { findQuietPort } from '@payment-tracking/stack'
import t from 'tap'

t.test('no port is given twice', async t => {
  const ports: number[] = []
  for (let round = 0; round < 500; round += 1) ports.push(await findQuietPort())
  ports.push(...(await Promise.all(Array.from({ length: 500 }, findQuietPort))))
  t.equal(new Set(ports).size, ports.length)
  for (const port of ports) t.ok(port >= 20_000 && port < 32_000, 'none is one that outgoing connections get')
})
