import { createRequire } from 'node:module'

/** The version of this service: its package's. */
export const { version: VERSION } = createRequire(import.meta.url)('../package.json') as { version: string }
