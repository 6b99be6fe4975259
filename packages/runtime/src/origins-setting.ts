import { Type } from 'typebox'

/**
 * The origin that a text names, in the form in which browsers send it: `HTTPS://Shop.Example:443/` is `https://shop.example`.
 * @returns null for a text that names more or less than an origin of http or https, such as one with a path
 */
export function readOrigin(text: string): string | null {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return null
  const { origin, href } = new URL(text)
  return href === `${origin}/` ? origin : null
}

/** @param setting a list that fits `OriginList` */
export const readOrigins = (setting: string): string[] =>
  setting.split(',').flatMap(entry => readOrigin(entry.trim()) ?? [])

const wrongEntry = (setting: string): number =>
  setting.split(',').findIndex(entry => readOrigin(entry.trim()) === null) + 1

/** A setting that lists origins, comma separated. */
export const OriginList = (description: string, options: { default?: string; anyOrigin?: string } = {}) => {
  const { anyOrigin, ...rest } = options
  return Type.Refine(
    Type.String({ description, ...rest }),
    setting => setting === anyOrigin || wrongEntry(setting) === 0,
    setting => `holds an entry that is no origin, number ${wrongEntry(setting)}`,
  )
}
