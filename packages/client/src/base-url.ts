/**
 * The service's root as an absolute URL without a slash at its end. Paths of REST, streams and sockets follow the path that
 * the root has behind a proxy.
 * @param baseUrl such as `https://pay.example` or `https://shop.example/pay`; in a page, also `/pay`
 */
export function rootOf(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl, globalThis.location?.href)
  return origin + pathname.replace(/\/+$/, '')
}
