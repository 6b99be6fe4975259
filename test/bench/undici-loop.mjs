// The limit of the webhook bench: nothing but undici, posting bytes that were signed beforehand.
import { createRequire } from 'node:module'

// The worker's own undici, not the one that some tool brought to the top.
const { Pool } = createRequire(new URL('../../services/webhook-worker/package.json', import.meta.url))(
  'undici',
)

process.on('message', async ({ url, count, concurrency, headers, body }) => {
  const { origin, pathname } = new URL(url)
  const pool = new Pool(origin, { connections: concurrency, pipelining: 1 })
  const startedAt = performance.now()
  let left = count
  const loop = async () => {
    while (left-- > 0) {
      const response = await pool.request({ path: pathname, method: 'POST', headers, body })
      await response.body.text()
    }
  }
  await Promise.all(Array.from({ length: concurrency }, loop))
  const perSecond = (count / (performance.now() - startedAt)) * 1000
  await pool.close()
  process.send({ perSecond })
})
process.on('disconnect', () => process.exit())
