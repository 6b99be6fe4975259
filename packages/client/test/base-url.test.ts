import t from 'tap'
import { rootOf } from '../src/base-url.js'
import { positionsOf } from '../src/position-memory.js'

t.test('a base URL may have a path, and slashes at its end', async t => {
  for (const [baseUrl, root] of [
    ['http://127.0.0.1:3002', 'http://127.0.0.1:3002'],
    ['http://127.0.0.1:3002/', 'http://127.0.0.1:3002'],
    ['https://shop.example/pay', 'https://shop.example/pay'],
    ['https://SHOP.example:443/pay//', 'https://shop.example/pay'],
    ['https://shop.example/a/b/?x=1#y', 'https://shop.example/a/b'],
  ] as const)
    t.equal(rootOf(baseUrl), root, baseUrl)
})

t.test('services at two paths of a host have positions of their own', async t => {
  const one = positionsOf('http://pay.example/one/')
  t.equal(positionsOf('http://pay.example/one'), one)
  t.not(positionsOf('http://pay.example/two'), one)
  t.not(positionsOf('http://pay.example'), one)
})
