// What /readyz of a service says.
const TIMEOUT_MS = 3_000

const ask = (managementUrl: string): Promise<Response> =>
  fetch(`${managementUrl}/readyz`, { signal: AbortSignal.timeout(TIMEOUT_MS) })

export async function isReady(managementUrl: string): Promise<boolean> {
  try {
    const response = await ask(managementUrl)
    await response.body?.cancel()
    return response.ok
  } catch {
    return false
  }
}

/** @returns what is missing, such as `postgres: no answer within 2000 ms`; undefined when the service is ready */
export async function describeReadiness(managementUrl: string): Promise<string | undefined> {
  try {
    const response = await ask(managementUrl)
    const { ready, dependencies = {} } = (await response.json()) as {
      ready: boolean
      dependencies?: Record<string, string>
    }
    if (ready) return undefined
    const down = Object.entries(dependencies).filter(([, line]) => line !== 'ok')
    return down.map(([name, line]) => `${name}: ${line}`).join(', ') || 'it has not finished starting'
  } catch {
    return 'it does not answer on its management port yet'
  }
}
