export type TrustedProxies = boolean | string | ((address: string, hop: number) => boolean)

/**
 * Whose `x-forwarded-for` counts, as Fastify takes it.
 * @param setting `off`, `on` (everybody's), a number of hops, or addresses and networks, comma separated
 */
export function readTrustedProxies(setting: string): TrustedProxies {
  const word = setting.trim().toLowerCase()
  if (['', 'off', 'false', 'no', '0'].includes(word)) return false
  if (['on', 'true', 'yes'].includes(word)) return true
  if (/^\d+$/.test(word)) return (_address, hop) => hop < Number(word)
  return setting
}
