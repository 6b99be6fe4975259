import { createRequire } from 'node:module'

/** The version of this service: the version of its package. */
export const { version: VERSION } = createRequire(import.meta.url)('../package.json') as { version: string }

/** The name by which health and the base URL call this service. */
export const SERVICE = 'payment-tracking-api'
