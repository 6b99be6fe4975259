import type { FastifyBaseLogger, FastifyServerOptions } from 'fastify'

type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'

/**
 * A request's logger, with the request's id in each line. The logger is created for its first line: most requests log
 * only their answer, which has its own logger, and creating a logger costs as much as writing a line.
 */
export const makeRequestLog: NonNullable<FastifyServerOptions['childLoggerFactory']> = (
  parent,
  bindings,
  options,
) => {
  let made: FastifyBaseLogger | undefined
  const own = () => (made ??= parent.child(bindings, options))
  const at =
    (level: Level): FastifyBaseLogger['info'] =>
    (...line: Parameters<FastifyBaseLogger['info']>) =>
      own()[level](...line)
  return {
    level: parent.level,
    child: (...more) => own().child(...more),
    fatal: at('fatal'),
    error: at('error'),
    warn: at('warn'),
    info: at('info'),
    debug: at('debug'),
    trace: at('trace'),
    silent: at('silent'),
  }
}
