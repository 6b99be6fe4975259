// All HTML of the dashboard is made here: every inserted value is escaped, unless the value is HTML of this module.
import { visibleText } from '@payment-tracking/contracts'

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

/** Foreign text, made visible; it may have lines. */
export const plain = (text: string): string => visibleText(text, { keepLines: true })
