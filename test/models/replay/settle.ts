import { setImmediate as turn } from 'node:timers/promises'
import type { Redis } from 'ioredis'

export async function until(holds: () => boolean, withinMs = 20_000): Promise<void> {
  const endMs = Date.now() + withinMs
  while (!holds()) {
    if (Date.now() > endMs) throw new Error('the pod did not come to where the model has it')
    await turn()
  }
}

/** What follows from a step at once has followed. */
export async function settle(client: Redis): Promise<void> {
  for (let times = 0; times < 2; times++) {
    await client.ping()
    await turn()
  }
}
