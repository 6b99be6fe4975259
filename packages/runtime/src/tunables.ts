// Numbers that no operator can choose better than we: intervals of a service's own tasks, margins, lengths of queues.
// They are constants with a name, in `tunables.ts` of each service, and no settings: neither a variable nor a file
// changes them. Tests start a process with `--tune name=value` where they would otherwise only wait.
import { parseArgs } from 'node:util'
import { ConfigError } from './config.js'

export type Tunables = Readonly<Record<string, number>>

/**
 * The service's constants, with those that the arguments change.
 * @param args the arguments of the process, without node and the script
 * @throws ConfigError naming every argument that is no `--tune name=value` of a constant of this service
 */
export function readTunables<T extends Tunables>(constants: T, args: readonly string[]): T {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { tune: { type: 'string', multiple: true } },
    allowPositionals: true,
    strict: false,
  })
  const unknown = [
    ...positionals,
    ...Object.keys(values)
      .filter(name => name !== 'tune')
      .map(name => `--${name}`),
  ]
  const problems = unknown.map(argument => `${argument} is an argument that this service does not know`)
  const changed: Record<string, number> = {}
  for (const pair of (values.tune ?? []).map(String)) {
    const [name = '', text = ''] = pair.split('=')
    const value = Number(text)
    if (!Object.hasOwn(constants, name)) problems.push(`--tune ${pair}: there is no ${name} here`)
    else if (text === '' || !(value >= 0)) problems.push(`--tune ${pair}: ${name} must be a number from 0`)
    else changed[name] = value
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return { ...constants, ...changed }
}
