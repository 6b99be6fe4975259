// The whole of `npm start` on a database and a stream of its own, and a publisher that causes what the chain would.
import { randomBytes } from 'node:crypto'
import {
  createDatabase,
  openPublisher,
  startStack,
  useServers,
  type TestContext,
} from '@payment-tracking/testkit'

/**
 * Starts the stack, and stops it when the test ends.
 * @param name part of the stream's name
 * @param env further settings of the services
 */
export async function startStackWithPublisher(
  t: TestContext,
  name: string,
  env: Record<string, string> = {},
) {
  const id = randomBytes(4).toString('hex')
  const [{ natsUrl }, database] = await Promise.all([useServers(t), createDatabase(t)])
  const settings = {
    DATABASE_URL: database.url,
    NATS_URL: natsUrl,
    STREAM_NAME: `E2E_${name}_${id}`,
    SUBJECT_PREFIX: `e2e.${name}.${id}`,
    ...env,
  }
  const stack = await startStack(t, settings)
  const publisher = await openPublisher(settings)
  t.teardown(() => publisher.close())
  return {
    /** different in each run, for names that must not meet those of another run */
    id,
    stack,
    baseUrl: stack.describe().baseUrl,
    database,
    publish: async (...messages: unknown[]) => {
      for (const message of messages) await publisher.publish(JSON.stringify(message))
    },
  }
}
