// All HTML of the dashboard is made here: every inserted value is escaped, unless the value is HTML of this module.

export class Html {
  constructor(readonly text: string) {}
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, character => ENTITIES[character]!)

type Part = string | number | bigint | null | Html | readonly Part[]

const write = (part: Part): string => {
  if (part === null) return ''
  if (part instanceof Html) return part.text
  if (typeof part === 'object') return part.map(write).join('')
  return escapeHtml(String(part))
}

export const html = (texts: TemplateStringsArray, ...parts: Part[]): Html =>
  new Html(texts.map((text, index) => text + (index < parts.length ? write(parts[index]!) : '')).join(''))

/** Foreign text as one readable line: control and direction characters become visible. */
export const plain = (text: string): string =>
  text.replace(
    // oxlint-disable-next-line no-control-regex
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
