const USUAL_PORTS = new Set(['80', '443'])

/**
 * The name of a cookie of one address. Browsers send a cookie to every port of its host: without the port in their names, two
 * stacks on one machine would overwrite each other's cookies.
 * @param host the header `host`, in which browsers leave out the usual ports
 */
export function cookieNameAt(name: string, host = ''): string {
  const port = /:(\d{1,5})$/.exec(host)?.[1]
  return port === undefined || USUAL_PORTS.has(port) ? name : `${name}-${port}`
}
