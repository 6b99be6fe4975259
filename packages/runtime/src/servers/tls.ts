import { Type } from 'typebox'
import { Secret } from '../config.js'

const Pem = (description: string) => Type.Optional(Secret(`${description}, in PEM; usually from a file`))

/** What a TLS client of Node.js takes. */
export interface TlsOptions {
  ca?: string
  cert?: string
  key?: string
}

/** @param server as it stands in descriptions */
export const describeTls = (server: string) => ({
  ca: Pem(`the private authority that signed the certificate of ${server}`),
  cert: Pem(`the client certificate for ${server}`),
  key: Pem(`the private key of the client certificate for ${server}`),
})

/** @returns undefined when nothing is set: then the URL alone decides about TLS */
export function readTls(
  ca: string | undefined,
  cert: string | undefined,
  key: string | undefined,
): TlsOptions | undefined {
  const options = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) }
  return Object.keys(options).length > 0 ? options : undefined
}
