import { pino, type Logger as PinoLogger } from 'pino'
import { withoutPassword } from './config.js'

export type Logger = PinoLogger

/** Keys whose values never reach a log line, at the top and one or two levels down. */
const SECRET_KEYS = [
  'secret',
  'secrets',
  'earlierSecrets',
  'password',
  'token',
  'authorization',
  'cookie',
  'privateKey',
  'resume',
]
const REDACTED = SECRET_KEYS.flatMap(key => [key, `*.${key}`, `*.*.${key}`, `req.headers.${key}`])

/**
 * Messages are events (`delivery.attempted`), one wide line per unit of work, ids always present.
 * `error` means that a person should look.
 */
export function createLogger(
  service: string,
  config: { LOG_LEVEL: string; ENVIRONMENT: string },
  destination?: { write(line: string): void },
): Logger {
  const options = {
    level: config.LOG_LEVEL,
    base: { service, environment: config.ENVIRONMENT, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: REDACTED, censor: '[redacted]' },
    serializers: { err: serialiseError },
    hooks: { streamWrite: inAscii },
  }
  return pino(options, destination ?? openOutput())
}

/**
 * Strangers write memos, and people read logs in terminals: what is not seen, or turns the direction of writing, stands in a line as
 * its escape of JSON. A reader of JSON gets the same text.
 */
const inAscii = (line: string): string =>
  line.replaceAll(/[\u007f-\uffff]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** A write wakes a thread, which costs more than a line. Under load about twenty lines share one write. */
const GATHER_MS = 10

/** Standard output, a few lines at a time. An exit writes what is left; only a kill can lose it. */
function openOutput() {
  const output = pino.destination({ fd: 1, sync: false })
  let gathered = ''
  let timer: NodeJS.Timeout | undefined
  const pass = () => {
    clearTimeout(timer)
    timer = undefined
    if (gathered !== '') output.write(gathered)
    gathered = ''
  }
  const flushSync = () => {
    pass()
    output.flushSync()
  }
  process.once('exit', flushSync)
  return {
    write(line: string) {
      gathered += line
      timer ??= setTimeout(pass, GATHER_MS)
    },
    flush: pass,
    flushSync,
  }
}

/** Errors with their code and causes; URLs in messages lose their passwords. */
function serialiseError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { code, cause } = error as Error & { code?: unknown }
  return {
    type: error.name,
    code: typeof code === 'string' || typeof code === 'number' ? code : undefined,
    message: withoutPassword(error.message),
    stack: error.stack === undefined ? undefined : withoutPassword(error.stack),
    cause: cause === undefined ? undefined : serialiseError(cause),
  }
}
