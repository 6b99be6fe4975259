import { parseArgs, type ParseArgsConfig } from 'node:util'

type Options = NonNullable<ParseArgsConfig['options']>

interface Usage<O extends Options> {
  /** shown for `--help`, and after the reason when an argument is wrong */
  usage: string
  /** those of `parseArgs` */
  options: O
  /** how many arguments without a name the command takes at most (default: none) */
  positionals?: number
}

/**
 * Reads the arguments of a command. With `--help` it prints the usage and ends the process with exit code 0. An argument that
 * the command does not know ends the process too: with the reason, the usage, and exit code 2.
 * @param args default: those of the process, after the name of the script
 */
export function readArguments<const O extends Options>(
  { usage, options, positionals: most = 0 }: Usage<O>,
  args: readonly string[] = process.argv.slice(2),
): ReturnType<typeof parseArgs<{ options: O; allowPositionals: true }>> {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(usage)
    process.exit()
  }
  try {
    const given = parseArgs({ args: [...args], options, allowPositionals: true })
    const extra = given.positionals[most]
    if (extra !== undefined) throw new Error(`Unexpected argument "${extra}"`)
    return given
  } catch (error) {
    return refuseArguments(usage, (error as Error).message)
  }
}

/** Prints the reason and the usage, and ends the process with exit code 2. */
export function refuseArguments(usage: string, reason: string): never {
  console.error(`${reason}\n${usage}`)
  process.exit(2)
}
