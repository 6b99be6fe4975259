/** The addresses of a list separated by commas. */
export const readUrls = (list: string): string[] => list.split(',').map(url => url.trim())

/**
 * The names of nodes in logs and metrics: the host, with a number where hosts are equal. Paths and queries hold keys.
 */
export function nameNodes(urls: readonly string[]): string[] {
  const hosts = urls.map(url => new URL(url).host)
  return hosts.map((host, at) =>
    hosts.filter(each => each === host).length > 1 ? `${host}#${at + 1}` : host,
  )
}

/** The usual HTTP port of `solana-test-validator` and Agave; the WebSocket port is one higher. */
const USUAL_PORT = '8899'

/** The given WebSocket addresses, or the addresses that belong to the HTTP addresses. */
export function socketUrls(settings: { rpcUrls: string; wsUrls?: string | undefined }): string[] {
  if (settings.wsUrls) return readUrls(settings.wsUrls)
  return readUrls(settings.rpcUrls).map(text => {
    const url = new URL(text.replace(/^http/, 'ws'))
    if (url.port === USUAL_PORT) url.port = String(Number(USUAL_PORT) + 1)
    return url.href
  })
}
