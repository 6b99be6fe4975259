import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { TestContext } from '@payment-tracking/testkit'

const run = promisify(execFile)

export interface Certificates {
  /** The folder with `ca.pem`, `server.pem`, `server.key`, `client.pem` and `client.key`. */
  dir: string
  ca: string
  /** Of the user `app`. */
  client: { cert: string; key: string }
}

/** A private authority, and certificates of it for a server on this machine and for a client. */
export async function makeCertificates(t: TestContext): Promise<Certificates> {
  const dir = await mkdtemp(join(tmpdir(), 'payment-tracking-tls-'))
  t.teardown(() => rm(dir, { recursive: true, force: true }))
  const openssl = (...args: string[]) => run('openssl', args, { cwd: dir })
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  await openssl('req', '-x509', ...newKey, '-subj', '/CN=private', '-keyout', 'ca.key', '-out', 'ca.pem')
  await writeFile(join(dir, 'names'), 'subjectAltName=DNS:localhost,IP:127.0.0.1')
  for (const [name, subject] of [
    ['server', '/CN=localhost'],
    ['client', '/CN=app'],
  ] as const) {
    const request = ['-keyout', `${name}.key`, '-out', `${name}.csr`]
    await openssl('req', ...newKey.slice(0, -2), '-subj', subject, ...request)
    const authority = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2']
    await openssl(
      'x509',
      '-req',
      '-in',
      `${name}.csr`,
      ...authority,
      '-extfile',
      'names',
      '-out',
      `${name}.pem`,
    )
  }
  const read = (name: string) => readFile(join(dir, name), 'utf8')
  return {
    dir,
    ca: await read('ca.pem'),
    client: { cert: await read('client.pem'), key: await read('client.key') },
  }
}
