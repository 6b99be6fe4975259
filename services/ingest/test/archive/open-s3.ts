// An S3 server with a bucket, and a way there on which a client dies in the middle of what it sends.
import { connect, createServer } from 'node:net'
import S3rver from '@20minutes/s3rver'
import { listen, type TestContext } from '@payment-tracking/testkit'
import { makeDirectory } from './open-archive.js'

export interface S3Store {
  /** EVENTS_ARCHIVE */
  location: string
  /** the AWS_ variables */
  env: Record<string, string>
  port: number
  directory: string
}

export async function openS3(t: TestContext): Promise<S3Store> {
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

export interface Cut {
  /** AWS_ENDPOINT_URL */
  address: string
  /** Lets all but the last byte of the nth chunk pass, counted from now, and nothing behind it. */
  at: (chunk: number, die: () => void) => void
}

export async function openCut(t: TestContext, port: number): Promise<Cut> {
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
    address: `http://127.0.0.1:${await listen(t, server)}`,
    at: (chunk, dies) => {
      left = chunk
      die = dies
    },
  }
}
