import { setTimeout as sleep } from 'node:timers/promises'

/** @returns the answer over REST, also where it is that there is none */
export async function ask(baseUrl: string, path: string): Promise<string> {
  for (;;) {
    // A late process would ask over a connection that the edge has closed as idle.
    const response = await fetch(baseUrl + path, { headers: { connection: 'close' } }).catch(() => undefined)
    const text = await response?.text().catch(() => undefined)
    if (text !== undefined && (response!.ok || response!.status === 404)) return text
    await sleep(200)
  }
}
