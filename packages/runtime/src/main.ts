import type { Static, TObject, TProperties } from 'typebox'
import { CommonConfig, ConfigError, describeConfig, readConfig } from './config.js'
import { runService, type ServiceContext } from './lifecycle.js'
import { createLogger, type Logger } from './logger.js'
import { openTracing } from './tracing/open-tracing.js'
import type { Tracing } from './tracing/span.js'
import { readTunables, type Tunables } from './tunables.js'

type Common = Static<TObject<typeof CommonConfig>>

/**
 * What every entry file does: read the settings (one message names every fault), make the logger, log the settings
 * without their secrets, run the service. Nothing else reads
 * `process.env` and the arguments.
 * @param schema the service's settings; holds CommonConfig
 * @param constants the service's numbers that are no settings
 */
export async function runMain<
  T extends TProperties & typeof CommonConfig,
  U extends Tunables = Record<never, number>,
>(
  service: string,
  schema: TObject<T>,
  build: (parts: {
    config: Static<TObject<T>>
    log: Logger
    context: ServiceContext
    tracing: Tracing | undefined
    tunables: U
  }) => Promise<void>,
  constants: U = {} as U,
): Promise<void> {
  let config: Static<TObject<T>>
  let tunables: U
  try {
    config = readConfig(schema, process.env)
    tunables = readTunables(constants, process.argv.slice(2))
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(`${service}: ${error.message}\n`)
    process.exit(1)
  }
  const common = config as Common
  const log = createLogger(service, common)
  log.info({ config: describeConfig(schema, config as Record<string, unknown>) }, 'service.starting')
  await runService(log, common, async context => {
    // Opened first, so closed last: the spans of the last work are sent as well.
    const tracing = await openTracing(service, common)
    if (tracing) await context.own('tracing', () => tracing)
    await build({ config, log, context, tracing, tunables })
  })
}
