import type { SiteBody, SiteFile } from './read-site.js'

/** The smallest form that the client takes, by its `accept-encoding`; the file itself if it takes no other. */
export function chooseBody({ bodies }: SiteFile, acceptEncoding: string): SiteBody {
  const weights = new Map(
    acceptEncoding
      .toLowerCase()
      .split(',')
      .map(entry => {
        const [name = '', ...parameters] = entry.split(';').map(part => part.trim())
        const weight = parameters.find(parameter => parameter.startsWith('q='))
        return [name, weight === undefined ? 1 : Number(weight.slice(2))]
      }),
  )
  const takes = (encoding: string) => (weights.get(encoding) ?? weights.get('*') ?? 0) > 0
  return bodies.find(({ encoding }) => encoding === 'identity' || takes(encoding))!
}
