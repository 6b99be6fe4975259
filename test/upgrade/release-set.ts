// One process of each service of a release.
import { startService, type StartedService, type TestContext } from '@payment-tracking/testkit'

export const SERVICES = ['ingest', 'api', 'realtime', 'webhook-worker', 'ops'] as const
export type ServiceName = (typeof SERVICES)[number]

export async function startRelease(t: TestContext, env: Record<string, string>) {
  const started = await Promise.all(
    SERVICES.map(async name => [name, await startService(t, name, env)] as const),
  )
  const services = Object.fromEntries(started) as Record<ServiceName, StartedService>
  const { address } = await services.api.waitForLog('http.listening')
  const { port } = await services.realtime.waitForLog('service.listening')
  return {
    services,
    apiPort: Number(new URL(address as string).port),
    realtimePort: port as number,
    /** What was logged as a fault, or as worse, by any of them. */
    faults: () =>
      started.flatMap(([name, { logs }]) =>
        logs
          .filter(({ level }) => level === 'error' || level === 'fatal')
          .map(line => `${name}: ${JSON.stringify(line)}`),
      ),
    /** @returns the exit codes */
    stop: async (): Promise<Record<string, number | null>> =>
      Object.fromEntries(
        await Promise.all(started.map(async ([name, service]) => [name, await service.stop()] as const)),
      ),
  }
}

/** The figure of a service's metric, summed over its labels that match. */
export async function readFigure({ managementUrl }: StartedService, metric: RegExp): Promise<number> {
  const text = await (await fetch(`${managementUrl}/metrics`)).text()
  return text
    .split('\n')
    .filter(line => metric.test(line))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}
