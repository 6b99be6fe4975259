import { parseArgs, type ParseArgsConfig } from 'node:util'

type Options = NonNullable<ParseArgsConfig['options']>

interface Usage<O extends Options> {
  /** shown for `--help`, and behind the reason when an argument is wrong */
  usage: string
  /** those of `parseArgs` */
  options: O
  /** how many arguments without a name the command takes at most (default: none) */
  positionals?: number
}

/**
 * Reads the arguments of a command. Ends the process for `--help` with 0 and the usage; for arguments that the command does
 * not know with 2, the reason and the usage.
 * @param args the arguments of the process, without node and the script
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

/** Ends the process with 2, the reason and the usage. */
export function refuseArguments(usage: string, reason: string): never {
  console.error(`${reason}\n${usage}`)
  process.exit(2)
}
