// The documents of the repository as this server serves them: links lead to what is served, and the rest stays as text.
import { posix } from 'node:path'

/** Where the documents lie in the repository, and below which path they are served. */
const FOLDER = 'docs/'
export const DOCUMENTS_PATH = '/docs/'

const LINK = /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)/g
const PICTURE = /<picture>[^]*?<img alt="([^"]*)"[^]*?<\/picture>/g
/** Where a bracket is no link; `split` keeps it as every second piece. */
const CODE_BLOCK = /(```[^]*?```)/

/**
 * @param file below `docs/`
 * @param isServed whether a file below `docs/` is served
 */
export function renderDocument(file: string, text: string, isServed: (file: string) => boolean): string {
  const link = (whole: string, mark: string, label: string, target: string): string => {
    if (/^(https?:|#|mailto:)/.test(target)) return whole
    const [path = '', anchor] = target.split('#')
    const found = posix.normalize(posix.join(FOLDER, posix.dirname(file), path))
    const served = found.startsWith(FOLDER) ? found.slice(FOLDER.length) : ''
    if (mark === '!' || !isServed(served)) return label
    return `[${label}](${DOCUMENTS_PATH}${served}${anchor === undefined ? '' : `#${anchor}`})`
  }
  return text
    .replaceAll(PICTURE, '*$1*')
    .split(CODE_BLOCK)
    .map((piece, at) => (at % 2 === 1 ? piece : piece.replaceAll(LINK, link)))
    .join('')
}

const SHORTEST_SENTENCE = 14

export interface DocumentSummary {
  title: string
  /** its first sentence */
  summary: string
}

/** What a document says about itself: its heading, and the first sentence after it. */
export function summarise(text: string): DocumentSummary {
  const title = /^# (.+)$/m.exec(text)?.[1] ?? ''
  const sentences = text
    .split(/\n{2,}/)
    .filter(each => /^[\p{L}\p{N}`*[]/u.test(each) && !each.startsWith('```'))
    .map(each => each.replaceAll(LINK, '$2').replaceAll(/\s+/g, ' ').trim())
    .map(each => /^.*?[.:!?](?= |$)/.exec(each)?.[0].replace(/:$/, '.') ?? each)
  // "Words: …" only points to other documents.
  return { title, summary: sentences.find(({ length }) => length >= SHORTEST_SENTENCE) ?? '' }
}
