import { readFileSync } from 'node:fs'

/** The version of the release. Bundled into a service, the address is that of the service's own package. */
export const { version: VERSION } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { version: string }
