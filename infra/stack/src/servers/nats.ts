import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { converse } from './converse.js'
import { findProgram } from './find-program.js'
import { makePrivateFolder } from './private-folder.js'
import type { ServerKind } from './server-kind.js'

const USER = 'app'

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
          `authorization { user: "${USER}", password: "${setup.password}" }`,
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
