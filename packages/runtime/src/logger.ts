import { pino, type Logger as PinoLogger } from 'pino'
import { withoutPassword } from './config.js'

export type Logger = PinoLogger

/** Keys whose values never reach a log line, at the top and one or two levels down. */
const SECRET_KEYS = [
  'secret',
  'previousSecret',
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
  }
  return destination ? pino(options, destination) : pino(options)
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
