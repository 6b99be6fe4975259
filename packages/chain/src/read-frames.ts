// The grammar of a transaction's log. The runtime writes one array element a line and prefixes everything that a
// program may choose freely (`Program log: `, `Program data: `, `Program return: `), so a whole element that reads
// `Program <id> invoke [<height>]` can only come from the runtime.
// Source: program-runtime/src/{stable_log,log_collector}.rs of Solana, checked against litesvm.

/** One `Program data:` line: its slices in base64, separated by spaces. */
export interface DataLine {
  payload: string
}

/** One execution of one program, from its `invoke` line to its `success` line. */
export interface Frame {
  programId: string
  /** 1 for a top-level instruction */
  height: number
  /** the data lines written while this program was on top of the stack, in order */
  dataLines: DataLine[]
  /** whether the `success` line is in the trusted part of the log */
  complete: boolean
}

export interface ReadLog {
  /** in the order in which they were invoked */
  frames: Frame[]
  /** every data line of every frame, in log order */
  data: { frame: number; line: DataLine }[]
  /** why the end of the log is not trusted; undefined when the whole log was read */
  brokenBy?: 'truncated' | 'malformed'
}

const INVOKE = /^Program ([1-9A-HJ-NP-Za-km-z]{32,44}) invoke \[([1-9]\d{0,2})\]$/
const SUCCESS = /^Program ([1-9A-HJ-NP-Za-km-z]{32,44}) success$/
const DATA = 'Program data: '
const TRUNCATED = 'Log truncated'

/**
 * Reads the log up to its end, or up to the first line after which the log is not trusted: the truncation mark (shorter
 * lines still appear after the mark, with missing lines in between), or a line that does not fit the stack.
 */
export function readFrames(logMessages: readonly string[]): ReadLog {
  const frames: Frame[] = []
  const data: ReadLog['data'] = []
  const stack: number[] = []
  for (const text of logMessages) {
    if (text === TRUNCATED) return { frames, data, brokenBy: 'truncated' }
    // All other lines that begin like these have no meaning here.
    if (!text.startsWith('Program ')) continue
    if (text.startsWith(DATA) || text === 'Program data:') {
      const top = stack.at(-1)
      if (top === undefined) return { frames, data, brokenBy: 'malformed' }
      const line = { payload: text.slice(DATA.length) }
      frames[top]!.dataLines.push(line)
      data.push({ frame: top, line })
      continue
    }
    const invoke = INVOKE.exec(text)
    if (invoke) {
      const height = Number(invoke[2])
      if (height !== stack.length + 1) return { frames, data, brokenBy: 'malformed' }
      stack.push(frames.length)
      frames.push({ programId: invoke[1]!, height, dataLines: [], complete: false })
      continue
    }
    const success = SUCCESS.exec(text)
    if (success) {
      const top = stack.pop()
      if (top === undefined || frames[top]!.programId !== success[1])
        return { frames, data, brokenBy: 'malformed' }
      frames[top]!.complete = true
    }
  }
  if (stack.length > 0) return { frames, data, brokenBy: 'malformed' }
  return { frames, data }
}
