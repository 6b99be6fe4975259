import { runMain } from '@payment-tracking/runtime'
import { buildApp } from './app.js'
import { ConsoleConfig } from './config.js'
import { readSite } from './files/read-site.js'

await runMain('console', ConsoleConfig, async ({ config, log, context }) => {
  const site = await readSite(new URL('../dist/site/', import.meta.url), {
    environment: config.ENVIRONMENT,
    explorerUrl: config.EXPLORER_URL,
  })
  context.intake('http', buildApp({ config, log, site, metrics: context.metrics }))
})
