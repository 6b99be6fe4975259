// What would stop `npm start` in the end, found before minutes go into installing and building. The launcher checks the
// same again, with all settings.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'

/** Whether the process that wrote a lock still lives: the system reuses process ids, so Linux' start time counts too. */
function lives({ pid, birth }) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return state !== 'Z' && String(birth).endsWith(`:${fields[18]}`)
  } catch {
    // Elsewhere only the launcher can tell.
    return false
  }
}

function readLock(dataDir) {
  try {
    return JSON.parse(readFileSync(join(dataDir, 'lock'), 'utf8'))
  } catch {
    return undefined
  }
}

const findListenError = (port, host) =>
  new Promise(done => {
    const server = createServer().once('error', done)
    server.listen({ port, host, exclusive: true }, () => server.close(() => done(undefined)))
  })

/**
 * @param env settings of the start
 * @throws Error that names the cause and the cure
 */
export async function checkStart(env) {
  const dataDir = resolve(env.DATA_DIR?.trim() || '.data')
  const lock = readLock(dataDir)
  if (lock && lives(lock))
    throw new Error(
      `npm start runs already in ${dataDir} (process ${lock.pid}). Stop it, or set DATA_DIR and PORT to run a second copy:\n` +
        '  PORT=3102 DATA_DIR=.data2 npm start',
    )
  const [port, host] = [Number(env.PORT?.trim() || 3002), env.HOST?.trim() || '127.0.0.1']
  // The launcher says what is wrong with a faulty port or address.
  const error = Number.isInteger(port) && port < 65_536 ? await findListenError(port, host) : undefined
  if (error?.code === 'EADDRINUSE')
    throw new Error(
      `PORT: port ${port} is taken on ${host}. Stop what listens there, or choose another: PORT=${port + 100} npm start`,
    )
}
