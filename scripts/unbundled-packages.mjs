/** Packages that stay out of the bundles: they read files that lie beside their own, or are required by name. */
export const UNBUNDLED = [
  '@bull-board/ui',
  '@scalar/*',
  '@socket.io/redis-adapter',
  'litesvm',
  'msgpackr-extract',
]
