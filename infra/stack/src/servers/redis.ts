import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { converse } from './converse.js'
import { findProgram } from './find-program.js'
import { makePrivateFolder } from './private-folder.js'
import type { ServerKind } from './server-kind.js'

export const redisKind: ServerKind = {
  name: 'redis',
  title: 'Redis',
  usualPort: 63799,
  stopSignal: 'SIGTERM',
  async prepare(setup) {
    const program = await findProgram('redis', setup)
    const dir = join(setup.dataDir, 'redis')
    makePrivateFolder(dir)
    const settingsFile = join(dir, 'redis.conf')
    return {
      url: port => `redis://:${setup.password}@127.0.0.1:${port}`,
      command(port) {
        // In a file, not on the command line, where every user of the machine could read the password.
        const settings = [
          'bind 127.0.0.1',
          `port ${port}`,
          `dir "${dir}"`,
          `requirepass ${setup.password}`,
          'appendonly yes',
          'save ""',
          // Redis must not evict BullMQ's keys.
          'maxmemory-policy noeviction',
          `databases ${setup.durable ? 16 : 2048}`,
        ]
        writeFileSync(settingsFile, settings.join('\n') + '\n', { mode: 0o600 })
        return { file: program.file, args: [settingsFile], env: program.env }
      },
      answers: port =>
        converse(port, [
          { send: `AUTH ${setup.password}` },
          { expect: /\+OK/, send: 'PING' },
          { expect: /\+PONG/ },
        ]),
    }
  },
}
