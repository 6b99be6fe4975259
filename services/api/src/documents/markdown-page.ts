// A document as a page: the part of Markdown that docs/ uses.
import { escape } from '../pages/frame.js'

/** The anchor of a heading, as GitHub makes it. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

/** Inside a line. Code is taken out first: nothing in it is a mark. */
function writeLine(text: string): string {
  const codes: string[] = []
  return escape(text.replaceAll(/`([^`]+)`/g, (_, code: string) => `\0${codes.push(code) - 1}\0`))
    .replaceAll(/\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)/g, (whole, label: string, target: string) =>
      /^(https?:|\/|#|mailto:)/.test(target) ? `<a href="${target}">${label}</a>` : whole,
    )
    .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replaceAll(/(?<![\w*])[*_]([^*_\s][^*_]*)[*_](?![\w*])/g, '<em>$1</em>')
    .replaceAll(/\0(\d+)\0/g, (_, at: string) => `<code>${escape(codes[Number(at)]!)}</code>`)
}

const cellsOf = (line: string): string[] =>
  line
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map(cell => cell.trim().replaceAll('\\|', '|'))

function writeTable([head, , ...rows]: string[]): string {
  const row = (line: string, tag: string) =>
    `<tr>${cellsOf(line)
      .map(cell => `<${tag}>${writeLine(cell)}</${tag}>`)
      .join('')}</tr>`
  return `<div class="table"><table>${row(head!, 'th')}${rows.map(each => row(each, 'td')).join('')}</table></div>`
}

/** One block of lines without an empty one between them. */
function writeBlock(block: string): string {
  const lines = block.split('\n')
  const [first = ''] = lines
  const heading = /^(#{1,4}) (.+)$/.exec(first)
  if (heading) {
    const [, { length: level }, title] = heading as unknown as [string, string, string]
    const rest = lines.slice(1).join('\n')
    const text = `<h${level} id="${escape(anchorOf(title))}">${writeLine(title)}</h${level}>`
    return rest === '' ? text : text + writeBlock(rest)
  }
  if (first.startsWith('|')) return writeTable(lines)
  const items = /^(-|\d+\.) /.exec(first)
  if (items) {
    const list = items[1] === '-' ? 'ul' : 'ol'
    const texts = block.split(/\n(?=(?:-|\d+\.) )/).map(item => item.replace(/^(-|\d+\.) /, ''))
    return `<${list}>${texts.map(text => `<li>${writeLine(text.replaceAll('\n', ' '))}</li>`).join('')}</${list}>`
  }
  const quote = first.startsWith('>')
  const text = lines.map(line => line.replace(/^> ?(\[!\w+\])?/, '')).join(' ')
  return quote ? `<blockquote><p>${writeLine(text)}</p></blockquote>` : `<p>${writeLine(text)}</p>`
}

/** @param markdown a document whose links lead to what this server serves (render-document.ts) */
export function renderMarkdown(markdown: string): string {
  // Every second piece is a block of code, with its language.
  const pieces = markdown.replaceAll(/<!--[^]*?-->\n*/g, '').split(/^ *```(\w*)\n([^]*?)^ *```$/gm)
  const html: string[] = []
  for (let at = 0; at < pieces.length; at += 3) {
    html.push(
      ...pieces[at]!.split(/\n{2,}/)
        .map(block => block.trim())
        .filter(block => block !== '')
        .map(writeBlock),
    )
    const [language, code] = [pieces[at + 1], pieces[at + 2]]
    // A diagram is drawn where the repository is shown.
    if (code !== undefined && language !== 'mermaid') html.push(`<pre>${escape(code.trimEnd())}</pre>`)
  }
  return html.join('\n')
}

/** A part of a document, for the search. */
export interface Section {
  title: string
  anchor: string
  text: string
}

export const sectionsOf = (markdown: string): Section[] =>
  markdown
    .replaceAll(/<!--[^]*?-->/g, '')
    .split(/^(?=#{1,4} )/m)
    .map(part => {
      const [, title = '', text = ''] = /^#+ (.+)\n([^]*)$/.exec(part) ?? []
      return { title, anchor: anchorOf(title), text }
    })
    .filter(({ title }) => title !== '')
