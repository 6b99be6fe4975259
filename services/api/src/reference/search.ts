// The search over REST, messages and documents: a page without a script.
import { escape, renderFrame } from '../pages/frame.js'

export interface Found {
  /** where it is: REST, messages, or a document */
  place: string
  title: string
  href: string
  /** what else is searched */
  text: string
}

const MOST = 50

/** @returns what holds every word, in the title first */
export function search(entries: readonly Found[], query: string): Found[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  const inTitle = ({ title }: Found) => words.every(word => title.toLowerCase().includes(word))
  const found = entries.filter(({ title, text }) => {
    const all = `${title}\n${text}`.toLowerCase()
    return words.every(word => all.includes(word))
  })
  return [...found.filter(inTitle), ...found.filter(each => !inTitle(each))]
}

const EXCERPT = 160

function excerptOf(text: string, query: string): string {
  const plain = text
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*|#]+|-{3,}/g, '')
    .replaceAll(/\s+/g, ' ')
  const at = plain.toLowerCase().indexOf(query.toLowerCase().split(/\s+/)[0]!)
  const start = Math.max(0, at - EXCERPT / 3)
  return `${start > 0 ? '…' : ''}${plain.slice(start, start + EXCERPT)}`
}

export function renderSearchPage(entries: readonly Found[], query: string, environment: string): string {
  const found = search(entries, query)
  const items = found
    .slice(0, MOST)
    .map(
      ({ place, title, href, text }) =>
        `<li><a href="${escape(href)}">${escape(title)}</a> (${escape(place)})<br />${escape(excerptOf(text, query))}</li>`,
    )
  const count = found.length > MOST ? `The first ${MOST} of ${found.length}.` : `${found.length} found.`
  return renderFrame({
    title: `Payment tracking: ${query || 'search'}`,
    environment,
    query,
    body: `<h1>${query === '' ? 'Search' : escape(query)}</h1>\n<p>${count}</p>\n<ul>${items.join('\n')}</ul>`,
  })
}
