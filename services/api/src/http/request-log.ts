import type { FastifyBaseLogger, FastifyServerOptions } from 'fastify'

type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'

/**
 * A request's logger, with its id in each line. It is made when there is a line to write: most requests have none but
 * that of their answer, which has a logger of its own, and making one costs as much as writing a line.
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
