import t from 'tap'
import { clientAddress, countedAddress, countedNetworks, readTrustedProxies } from '../src/client-address.js'

t.test('an IPv6 client is its /64 network, an IPv4 client its address, however written', async t => {
  const same = [
    '2001:db8::1',
    '2001:0db8:0:0:ffff::',
    '2001:DB8:0:0:a:b:c:d',
    '2001:db8::ffff:0:1',
    '2001:db8::5%eth0',
  ]
  t.same([...new Set(same.map(countedAddress))], ['2001:db8:0:0::/64'])
  t.equal(countedAddress('2001:db8:0:1::1'), '2001:db8:0:1::/64')
  t.equal(countedAddress('::1'), '0:0:0:0::/64')
  t.equal(countedAddress('::ffff:10.1.2.3'), '10.1.2.3')
  t.equal(countedAddress('10.1.2.3'), '10.1.2.3')
  t.equal(countedAddress('::ffff:a01:203'), '10.1.2.3')
  t.equal(countedAddress('0:0:0:0:0:FFFF:0A01:0203'), '10.1.2.3')
})

t.test('each connection of a client behind Azure or IIS counted as another client', async t => {
  const counted = (...entries: string[]) => [...new Set(entries.map(countedAddress))]
  t.same(
    counted(
      '203.0.113.9:5000',
      '203.0.113.9:65535',
      '203.0.113.9:',
      ' 203.0.113.9 ',
      '"203.0.113.9:7"',
      '[203.0.113.9]:80',
    ),
    ['203.0.113.9'],
  )
  t.same(
    counted(
      '[2001:db8:3::1]',
      '[2001:db8:3::2]:5000',
      '"[2001:DB8:3::3]:5001"',
      '[2001:db8:3::4%eth0]:1',
      '2001:db8:3:0:0:0:0:5:5002',
      '2001:db8:3::6:50000',
    ),
    ['2001:db8:3:0::/64'],
  )
  t.same(counted('[::ffff:203.0.113.9]:5000', '[::ffff:cb00:7109]'), ['203.0.113.9'])
  t.same(countedNetworks('[2001:db8:7:12ff::1]:443')[1], '2001:db8:7:1200::/56')
  t.same(
    counted('unknown', '_hidden', 'shop.example:80', '', '[', '[]:1', '256.1.1.1', '1.2.3.4:port'),
    ['unknown'],
    'entries that are no address are one client',
  )
})

t.test('an IPv6 client counts in its /64, its /56 and its /48', async t => {
  t.same(countedNetworks('2001:db8:7:12ff::1'), [
    '2001:db8:7:12ff::/64',
    '2001:db8:7:1200::/56',
    '2001:db8:7:0::/48',
  ])
  t.same(countedNetworks('2001:db8::1'), ['2001:db8:0:0::/64', '2001:db8:0:0::/56', '2001:db8:0:0::/48'])
  t.same(countedNetworks('::ffff:10.1.2.3'), ['10.1.2.3'])
})

t.test('x-forwarded-for counts as far as it can be believed', async t => {
  const from = (setting: string, forwarded: string, connection = '10.0.0.1') =>
    clientAddress(connection, forwarded, readTrustedProxies(setting))
  const chain = '6.6.6.6, 7.7.7.7, 10.0.0.9'
  t.equal(from('off', chain), '10.0.0.1')
  t.equal(from('on', '8.8.8.8'), '8.8.8.8')
  t.equal(from('on', ''), '10.0.0.1')
  t.equal(from('on', chain), '10.0.0.9', 'what the client wrote before it does not count')
  t.equal(from('2', chain), '7.7.7.7')
  t.equal(from('9', chain), '6.6.6.6')
  t.equal(from('10.0.0.0/8', chain), '7.7.7.7')
  t.equal(from('10.0.0.1', chain), '10.0.0.9')
  t.equal(from('10.0.0.0/8', chain, '::ffff:10.0.0.1'), '7.7.7.7')
  t.equal(from('10.0.0.0/8', chain, '9.9.9.9'), '9.9.9.9', 'a stranger is not a proxy')
  t.equal(from('off', '8.8.8.8'), '10.0.0.1')
  const ports = '6.6.6.6:1, 7.7.7.7:2, 10.0.0.9:3'
  t.equal(from('on', ports), '10.0.0.9')
  t.equal(from('2', ports), '7.7.7.7')
  t.equal(from('10.0.0.0/8', ports), '7.7.7.7', 'a trusted proxy whose entry has a port')
  t.equal(from('10.0.0.0/8,2001:db8::/32', '6.6.6.6, [2001:db8::9]:3'), '6.6.6.6')
  t.equal(from('on', '6.6.6.6, unknown'), 'unknown')
  t.throws(() => readTrustedProxies('everybody'))
})
