import { createHmac } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BUS_USERS, renderBusUsers, type BusUser } from '@payment-tracking/bus'
import { converse } from './converse.js'
import { findProgram } from './find-program.js'
import { makePrivateFolder } from './private-folder.js'
import type { ServerKind } from './server-kind.js'

/** May do everything: the launcher's and the tests' own look at the server. */
const USER = 'app'

const passwordOf = (password: string, user: BusUser): string =>
  createHmac('sha256', password).update(user).digest('hex')

/** The address of a private server for one of the users of `permissionsOf`. @param url that of the user who may do everything */
export function urlOfBusUser(url: string, user: BusUser): string {
  const changed = new URL(url)
  changed.username = user
  changed.password = passwordOf(decodeURIComponent(new URL(url).password), user)
  return changed.href
}

export const isBusUser = (name: string): name is BusUser => (BUS_USERS as readonly string[]).includes(name)

export const natsKind: ServerKind = {
  name: 'nats',
  title: 'NATS',
  usualPort: 42229,
  stopSignal: 'SIGTERM',
  async prepare(setup) {
    const program = await findProgram('nats', setup)
    const dir = join(setup.dataDir, 'nats')
    makePrivateFolder(dir)
    const settingsFile = join(dir, 'nats.conf')
    return {
      url: port => `nats://${USER}:${setup.password}@127.0.0.1:${port}`,
      command(port) {
        const settings = [
          `listen: "127.0.0.1:${port}"`,
          `jetstream { store_dir: "${join(dir, 'jetstream')}" }`,
          'authorization { users: [',
          `  { user: "${USER}", password: "${setup.password}" }`,
          // The server is this stack's alone, so the users may ask for any stream.
          renderBusUsers(
            { stream: '*', prefixes: setup.subjectPrefixes },
            user => `"${passwordOf(setup.password, user)}"`,
          ),
          '] }',
        ]
        writeFileSync(settingsFile, settings.join('\n') + '\n', { mode: 0o600 })
        return { file: program.file, args: ['-c', settingsFile], env: program.env }
      },
      answers: port =>
        converse(port, [
          {
            expect: /^INFO .*"jetstream":\s*true/,
            send: `CONNECT ${JSON.stringify({ verbose: false, pedantic: false, user: USER, pass: setup.password })}\r\nPING`,
          },
          { expect: /PONG/ },
        ]),
    }
  },
}
