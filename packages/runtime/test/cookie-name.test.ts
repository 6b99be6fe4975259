import t from 'tap'
import { cookieNameAt } from '../src/http/cookie-name.js'

t.test('a cookie is named after the port of its address, which browsers do not tell apart', async t => {
  for (const [host, name] of [
    ['127.0.0.1:3002', 'session-3002'],
    ['[::1]:3005', 'session-3005'],
    ['pay.example', 'session'],
    ['pay.example:443', 'session'],
    ['pay.example:80', 'session'],
    ['[::1]', 'session'],
    [undefined, 'session'],
  ] as const)
    t.equal(cookieNameAt('session', host), name, String(host))
})
