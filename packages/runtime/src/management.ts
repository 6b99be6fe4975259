// The management port: /healthz (the process runs), /readyz (a line per dependency), /readyz/process (this process
// alone), /metrics.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { randomUUID } from 'node:crypto'
import { arrivalLimits } from './http/arrival-limits.js'
import { errorAnswer } from './http/error-answer.js'
import { answerRawError } from './http/raw-answer.js'
import type { Metrics } from './metrics.js'

/** Resolves when the dependency answers; rejects with the reason when it does not. */
export type Probe = () => Promise<unknown>

const PROBE_TIMEOUT_MS = 2_000

interface Options {
  config: { MANAGEMENT_HOST: string; MANAGEMENT_PORT: number }
  probes: ReadonlyMap<string, Probe>
  metrics: Metrics
  isReady: () => boolean
}

async function runProbe(probe: Probe): Promise<string> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${PROBE_TIMEOUT_MS} ms`)), PROBE_TIMEOUT_MS)
  })
  try {
    await Promise.race([probe(), late])
    return 'ok'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Opens the management server.
 * `GET /readyz` answers 200 or 503 with `{ready, dependencies: {<name>: "ok" | "<reason>"}}`.
 * `GET /readyz/process` answers 200 from the end of the start to the stop signal, whatever the dependencies say: for
 * load balancers. A server that is away concerns all pods alike, and clients should get our answer, not the balancer's.
 */
export async function openManagement({ config, probes, metrics, isReady }: Options) {
  const up = metrics.gauge('dependency_up', 'Whether a server this process needs answers', ['dependency'])
  const readyGauge = metrics.gauge('ready', 'Whether this process takes work and all it needs answers')
  const check = async () => {
    const lines = await Promise.all(
      [...probes].map(async ([name, probe]) => [name, await runProbe(probe)] as const),
    )
    const ready = isReady() && lines.every(([, line]) => line === 'ok')
    for (const [dependency, line] of lines) up.set({ dependency }, line === 'ok' ? 1 : 0)
    readyGauge.set(ready ? 1 : 0)
    return { ready, dependencies: Object.fromEntries(lines) }
  }
  const server = createServer(arrivalLimits(), (request, response) => {
    const refuse = (status: number, code: string, sentence: string) =>
      answer(status, JSON.stringify(errorAnswer({ status, code, sentence }, randomUUID())))
    const answer = (status: number, body: string, type = 'application/json') => {
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' })
      response.end(body)
    }
    void (async () => {
      const path = request.url?.split('?')[0]
      if (path === '/healthz') return answer(200, '{"status":"ok"}')
      if (path === '/readyz') {
        const state = await check()
        return answer(state.ready ? 200 : 503, JSON.stringify(state))
      }
      if (path === '/readyz/process')
        return answer(isReady() ? 200 : 503, JSON.stringify({ ready: isReady() }))
      if (path === '/metrics') {
        await check()
        return answer(200, await metrics.registry.metrics(), metrics.registry.contentType)
      }
      refuse(404, 'NOT_FOUND', 'There is nothing at this path; try /healthz, /readyz or /metrics.')
    })().catch(() => refuse(500, 'INTERNAL', 'Something went wrong on our side.'))
  })
  server.on('clientError', answerRawError)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(config.MANAGEMENT_PORT, config.MANAGEMENT_HOST, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise<void>(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
