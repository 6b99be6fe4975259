import { randomBytes } from 'node:crypto'
import { connect, type ConnectionOptions, type StreamConfig } from 'nats'
import type { TestContext } from './test-context.js'
import { useServers } from './use-servers.js'

/** The client ignores credentials inside a URL, so they are handed over apart. */
export function natsOptions(natsUrl: string): ConnectionOptions {
  const url = new URL(natsUrl)
  return {
    servers: url.host,
    ...(url.username && {
      user: decodeURIComponent(url.username),
      pass: decodeURIComponent(url.password),
    }),
  }
}

/** A place in the run's NATS for this test alone; its stream, if it came to be, is deleted at the end. */
export async function useNats(t: TestContext) {
  const { natsUrl } = await useServers(t)
  const id = randomBytes(4).toString('hex')
  const [stream, subjectPrefix] = [`TEST_${id}`, `test.${id}`]
  const connection = await connect(natsOptions(natsUrl))
  t.teardown(async () => {
    const manager = await connection.jetstreamManager()
    await manager.streams.delete(stream).catch(() => {})
    await connection.close()
  })
  return {
    url: natsUrl,
    /** A stream name and subject prefix of this test alone; the stream itself is not made. */
    stream,
    subjectPrefix,
    connection,
    jetstream: connection.jetstream(),
    /** The stream of the test, where no service makes it. */
    addStream: async (limits: Partial<StreamConfig> = {}) => {
      const { streams } = await connection.jetstreamManager()
      return streams.add({ name: stream, subjects: [`${subjectPrefix}.>`], ...limits })
    },
  }
}

export type TestNats = Awaited<ReturnType<typeof useNats>>
