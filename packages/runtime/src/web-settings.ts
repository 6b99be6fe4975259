import { Type } from 'typebox'
import { OriginList, readOrigin, readOrigins } from './origins-setting.js'

const ANY_ORIGIN = '*'
const NETWORK = '[0-9A-Fa-f.:]+(/\\d{1,3})?'

/** The settings of a service that browsers and load balancers talk to; spread into its schema. */
export const WebConfig = {
  CORS_ORIGIN: OriginList(
    'web origins that may read and connect, comma separated, each with its scheme such as https://shop.example; * is any',
    { default: ANY_ORIGIN, anyOrigin: ANY_ORIGIN },
  ),
  TRUST_PROXY: Type.String({
    default: 'off',
    pattern: `^(off|on|\\d{1,2}|${NETWORK}(\\s*,\\s*${NETWORK})*)$`,
    description:
      'whose x-forwarded-for counts: off, on (the proxy that connects to us), a number of proxies, or addresses and networks, comma separated',
  }),
}

export const PublicOrigins = Type.Optional(
  OriginList(
    'the sites at which gateways sign in, such as https://pay.example, comma separated; programs sign for the first; without it only sites of this machine',
  ),
)

/** The origins of pages that may read and connect; `*`: any. */
export type AllowedOrigins = '*' | string[]

/** @param setting of CORS_ORIGIN */
export const readAllowedOrigins = (setting: string): AllowedOrigins =>
  setting === ANY_ORIGIN ? ANY_ORIGIN : readOrigins(setting)

/** Whether a request with this `Origin` is of a page that may read and connect. Programs send no `Origin`, and may. */
export const isAllowedOrigin = (allowed: AllowedOrigins, origin: string | undefined): boolean =>
  allowed === ANY_ORIGIN || origin === undefined || allowed.includes(readOrigin(origin) ?? '')
