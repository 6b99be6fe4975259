import t from 'tap'
import { readRetryAfterMs, retryDelayMs, RETRY_AFTER_MAX_MS } from '../src/deliveries/delivery-backoff.js'

t.test('delays double from the base and vary by a fifth to both sides', t => {
  const delays = [1, 2, 3].map(made => retryDelayMs(made, 5_000, 0.5))
  t.strictSame(delays, [5_000, 10_000, 20_000])
  const spread = [1, 2, 3].map(made => retryDelayMs(made, 5_000, 0.5, null, 12))
  t.strictSame(spread, [5_000, 60_000, 720_000], 'a factor of 12 spreads them over 13 minutes')
  t.equal(retryDelayMs(1, 5_000, 0), 4_000)
  t.equal(retryDelayMs(1, 5_000, 0.999999), 6_000)
  t.end()
})

t.test('Retry-After counts between the scheduled delay and one hour', t => {
  t.equal(retryDelayMs(1, 5_000, 0.5, 1_000), 5_000)
  t.equal(retryDelayMs(1, 5_000, 0.5, 60_000), 60_000)
  t.equal(retryDelayMs(1, 5_000, 0.5, 86_400_000), RETRY_AFTER_MAX_MS)
  t.end()
})

t.test('Retry-After is seconds or an HTTP date; nonsense is nothing', t => {
  const now = Date.parse('Wed, 21 Oct 2026 07:28:00 GMT')
  t.equal(readRetryAfterMs('120', now), 120_000)
  t.equal(readRetryAfterMs(' 0 ', now), 0)
  t.equal(readRetryAfterMs('Wed, 21 Oct 2026 07:29:00 GMT', now), 60_000)
  t.equal(readRetryAfterMs('Wed, 21 Oct 2026 07:27:00 GMT', now), 0)
  for (const nonsense of [undefined, '', 'soon', '-5', '1.5', '2 apples', '9'.repeat(30)])
    t.equal(readRetryAfterMs(nonsense, now), null, String(nonsense))
  t.end()
})
