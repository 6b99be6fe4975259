import t from 'tap'
import { countedClient } from '../../src/gateway-auth/counted-client.js'

t.test('a client is an IPv4 address, or the /64 network of an IPv6 one in every notation', t => {
  for (const [address, client] of [
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:0db8:0001:0002::1', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['2001:db8::ffff:0:1', '2001:db8:0:0'],
    ['2001:db8:0:0:8000::', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
  ] as const)
    t.equal(countedClient(address), client, address)
  t.end()
})
