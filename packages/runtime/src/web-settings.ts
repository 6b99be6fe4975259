import { Type } from 'typebox'

const ORIGIN = 'https?://[^\\s/,]+'
const NETWORK = '[0-9A-Fa-f.:]+(/\\d{1,3})?'

/** The settings of a service that browsers and load balancers talk to; spread into its schema. */
export const WebConfig = {
  CORS_ORIGIN: Type.String({
    default: '*',
    pattern: `^(\\*|${ORIGIN}(\\s*,\\s*${ORIGIN})*)$`,
    description:
      'web origins that may read and connect, comma separated, each with its scheme such as https://shop.example; * is any',
  }),
  TRUST_PROXY: Type.String({
    default: 'off',
    pattern: `^(off|on|\\d{1,2}|${NETWORK}(\\s*,\\s*${NETWORK})*)$`,
    description:
      'whose x-forwarded-for counts: off, on (the proxy that connects to us), a number of proxies, or addresses and networks, comma separated',
  }),
}
