/** The addresses of a list separated by commas. */
export const readUrls = (list: string): string[] => list.split(',').map(url => url.trim())

/** How nodes are named in logs and metrics: by host, numbered where hosts are equal. Paths and queries hold keys. */
export function nameNodes(urls: readonly string[]): string[] {
  const hosts = urls.map(url => new URL(url).host)
  return hosts.map((host, at) =>
    hosts.filter(each => each === host).length > 1 ? `${host}#${at + 1}` : host,
  )
}

/** Where a node of `solana-test-validator` and of Agave's defaults listens for HTTP; its sockets are one port further. */
const USUAL_PORT = '8899'

/** The WebSocket addresses that are given, or those that belong to the HTTP addresses. */
export function socketUrls(settings: { SOLANA_RPC_URLS: string; SOLANA_WS_URLS?: string }): string[] {
  if (settings.SOLANA_WS_URLS) return readUrls(settings.SOLANA_WS_URLS)
  return readUrls(settings.SOLANA_RPC_URLS).map(text => {
    const url = new URL(text.replace(/^http/, 'ws'))
    if (url.port === USUAL_PORT) url.port = String(Number(USUAL_PORT) + 1)
    return url.href
  })
}
