// Puts the settings that the pages need into index.html, as attributes: the policy forbids a script in the HTML, and a
// question after the page would let the title and the icon of production show for a moment.
import { environmentName, isProduction } from '@payment-tracking/runtime'

export interface PageSettings {
  environment: string
  /** where links of addresses and transactions lead, with `{kind}` and `{value}`; undefined makes no links */
  explorerUrl: string | undefined
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escape = (text: string): string => text.replace(/[&<>"]/g, character => ENTITIES[character]!)

/** @throws Error when the page has no place for a setting: the build and this server are of different releases */
export function insertSettings(html: string, { environment, explorerUrl }: PageSettings): string {
  const insert = (page: string, from: string, to: string): string => {
    if (!page.includes(from)) throw new Error(`index.html has no ${from}`)
    return page.replace(from, () => to)
  }
  const inserted = insert(
    insert(html, 'data-environment=""', `data-environment="${escape(environment)}"`),
    'data-explorer=""',
    `data-explorer="${escape(explorerUrl ?? '')}"`,
  )
  if (isProduction(environment)) return inserted
  return insert(
    insert(inserted, '<title>', `<title>[${escape(environmentName(environment))}] `),
    '/console/icon.svg',
    '/console/icon-other.svg',
  )
}
