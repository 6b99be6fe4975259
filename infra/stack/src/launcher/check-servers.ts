// Checks whether the configured servers answer, before the launcher starts anything that needs them.
import { connect } from 'node:net'
import { ConfigError, withoutPassword } from '@payment-tracking/runtime'
import { findConnectProblem } from '@payment-tracking/store/core'

const TIMEOUT_MS = 5_000

const SQLSTATE = { noDatabase: '3D000', badPassword: '28P01', refused: '28000' }

const startIt = (setting: string): string => `Start it, or leave ${setting} out to have one started here`

async function findDatabaseProblem(url: string): Promise<string | undefined> {
  const problem = await findConnectProblem(url)
  if (!problem) return undefined
  const { code, message } = problem
  const shown = withoutPassword(url)
  const name = decodeURIComponent(new URL(url).pathname.slice(1))
  switch (code) {
    case SQLSTATE.noDatabase:
      return `DATABASE_URL names the database "${name}", which does not exist at ${shown}; create it first (createdb ${name})`
    case SQLSTATE.badPassword:
    case SQLSTATE.refused:
      return `DATABASE_URL: Postgres at ${shown} refuses this user (${message})`
    default:
      return `DATABASE_URL: Postgres at ${shown} cannot be reached (${code ?? message}). ${startIt('DATABASE_URL')}`
  }
}

/** Checks only that a server listens: the services report their requirements on the server. */
function findConnectError(host: string, port: number): Promise<string | undefined> {
  return new Promise(resolve => {
    const socket = connect({ host, port, timeout: TIMEOUT_MS })
    const finish = (problem?: string) => {
      socket.destroy()
      resolve(problem)
    }
    socket.once('connect', () => finish())
    socket.once('timeout', () => finish(`no answer within ${TIMEOUT_MS / 1_000} s`))
    socket.once('error', (error: NodeJS.ErrnoException) => finish(error.code ?? error.message))
  })
}

/** @param urls one or several servers, comma separated; one that answers is enough */
async function findServerProblem(
  setting: string,
  title: string,
  urls: string,
  usualPort: number,
): Promise<string | undefined> {
  const problems: string[] = []
  for (const url of urls.split(',').map(part => part.trim())) {
    const { hostname, port } = new URL(url.includes('://') ? url : `nats://${url}`)
    const problem = await findConnectError(hostname.replace(/^\[|\]$/g, ''), Number(port || usualPort))
    if (!problem) return undefined
    problems.push(`${title} at ${withoutPassword(url)} cannot be reached (${problem})`)
  }
  return `${setting}: ${problems.join('; ')}. ${startIt(setting)}`
}

/**
 * @param urls the URLs from the user; private servers are not checked
 * @throws ConfigError naming the setting of each server that does not answer, or of a database that does not exist
 */
export async function checkServers(urls: {
  postgres?: string | undefined
  redis?: string | undefined
  nats?: string | undefined
}): Promise<void> {
  const problems = await Promise.all([
    urls.postgres ? findDatabaseProblem(urls.postgres) : undefined,
    urls.redis ? findServerProblem('REDIS_URL', 'Redis', urls.redis, 6379) : undefined,
    urls.nats ? findServerProblem('NATS_URL', 'NATS', urls.nats, 4222) : undefined,
  ])
  const found = problems.filter(problem => problem !== undefined)
  if (found.length > 0) throw new ConfigError(found)
}
