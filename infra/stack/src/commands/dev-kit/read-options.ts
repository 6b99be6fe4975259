import { parseArgs } from 'node:util'

/**
 * Reads `--name value` options of a command. `--help` alone prints the usage.
 * @param usage shown for `--help`, and behind the reason when an option is unknown or lacks its value
 * @returns the values by name, or undefined when help was asked for
 * @throws Error that names the faulty option and shows the usage
 */
export function readOptions<const Name extends string>(
  args: readonly string[],
  names: readonly Name[],
  usage: string,
): Partial<Record<Name, string>> | undefined {
  if (args.includes('--help')) {
    console.log(usage)
    return undefined
  }
  const options = Object.fromEntries(names.map(name => [name, { type: 'string' as const }]))
  try {
    return parseArgs({ args: [...args], options }).values as Partial<Record<Name, string>>
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${usage}`, { cause: error })
  }
}
