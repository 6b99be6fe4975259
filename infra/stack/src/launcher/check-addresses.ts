// Checks whether the launcher can listen at its addresses; errors name the setting.
import { ConfigError } from '@payment-tracking/runtime'
import { findListenError } from '../servers/index.js'
import type { StackConfig } from './config.js'

const describe = (setting: string, port: number, host: string, code: string | undefined): string => {
  switch (code) {
    case 'EADDRINUSE':
      return (
        `${setting}: port ${port} is taken on ${host}. Stop what listens there, or choose another: ` +
        `${setting}=${port + 100} npm start`
      )
    case 'EACCES':
      return `${setting}: this user may not listen on port ${port}; choose one above 1023`
    default:
      return (
        `HOST: ${host} is no address of this machine (${code ?? 'it cannot be listened on'}); ` +
        'use 127.0.0.1, or 0.0.0.0 for every address'
      )
  }
}

/** @throws ConfigError naming each setting whose address is unavailable, and why */
export async function checkAddresses(config: StackConfig): Promise<void> {
  const wanted = [
    ['PORT', config.PORT, config.HOST],
    ['OPS_PORT', config.OPS_PORT ?? 0, '127.0.0.1'],
  ] as const
  const problems: string[] = []
  for (const [setting, port, host] of wanted) {
    const error = await findListenError(port, host)
    if (error) problems.push(describe(setting, port, host, error.code))
  }
  if (problems.length > 0) throw new ConfigError(problems)
}
