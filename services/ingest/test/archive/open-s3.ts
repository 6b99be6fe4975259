// An S3 server with a bucket, and a way there on which a client dies in the middle of what it sends.
import { connect, createServer } from 'node:net'
import S3rver from '@20minutes/s3rver'
import { listen, type TestContext } from '@payment-tracking/testkit'
import { makeDirectory } from './open-archive.js'

/** @returns what EVENTS_ARCHIVE and the AWS_ variables say, too */
export async function openS3(t: TestContext) {
  const directory = await makeDirectory(t)
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    directory,
    silent: true,
    configureBuckets: [{ name: 'payments' }],
  })
  const { port } = await server.run()
  t.teardown(() => server.close())
  return {
    location: 's3://payments/old months',
    port,
    directory,
    env: {
      // The server knows one key.
      AWS_ACCESS_KEY_ID: 'S3RVER',
      AWS_SECRET_ACCESS_KEY: 'S3RVER',
      AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
    },
  }
}

export async function openCut(t: TestContext, port: number) {
  let left = 0
  let die = () => {}
  const server = createServer(client => {
    const upstream = connect(port, '127.0.0.1')
    for (const socket of [client, upstream]) socket.on('error', () => {})
    upstream.pipe(client)
    client.on('data', chunk => {
      left -= 1
      if (left < 0) return
      upstream.write(left === 0 ? chunk.subarray(0, -1) : chunk)
      if (left === 0) die()
    })
    client.on('close', () => upstream.destroy())
  })
  return {
    /** AWS_ENDPOINT_URL */
    address: `http://127.0.0.1:${await listen(t, server)}`,
    /** Lets all but the last byte of the nth chunk pass, counted from now, and nothing behind it. */
    at: (chunk: number, dies: () => void) => {
      left = chunk
      die = dies
    },
  }
}
