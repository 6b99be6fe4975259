import { startService, type StartedService } from '@payment-tracking/testkit'
import type { BenchContext } from './bench.js'

/** A pod with the caps of addresses out of the way. */
export async function startPod(
  context: BenchContext,
  env: Record<string, string>,
): Promise<{ service: StartedService; url: string }> {
  const service = await startService(context, 'realtime', {
    PORT: '0',
    MAX_CONNECTIONS_PER_ADDRESS: '1000000',
    MAX_TRACKING_ID_CONNECTIONS_PER_ADDRESS: '1000000',
    'realtime.longestDrainMs': '0',
    ...env,
  })
  const { port } = await service.waitForLog('service.listening')
  return { service, url: `http://127.0.0.1:${String(port)}` }
}
