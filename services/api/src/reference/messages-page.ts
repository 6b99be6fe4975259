// The page of the AsyncAPI document, made of the document. Scalar knows OpenAPI alone.
import { hash } from 'node:crypto'
import { HOUSE_TOKENS, isProduction } from '@payment-tracking/runtime'
import type { JSONObject } from './json-object.js'

interface Schema {
  $ref?: string
  type?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  description?: string
}
interface Message {
  name: string
  summary: string
  payload: Schema
}
interface Channel {
  address: string | null
  title: string
  description: string
  messages: Record<string, Message>
}
export interface Described {
  info: { title: string; description: string }
  channels: Record<string, Channel>
  operations: Record<string, { action: string; messages: { $ref: string }[] }>
  components: { schemas: Record<string, Schema> }
}

const STYLE = `${HOUSE_TOKENS}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.55 var(--sans); }
main { margin: 0 auto; max-width: 60rem; padding: var(--space-5) var(--space-4); }
h1 { letter-spacing: -0.02em; } h2 { margin-top: 3rem; } a { color: var(--accent); }
code { font-family: var(--mono); overflow-wrap: anywhere; } p, td { color: var(--quiet); }
summary { padding: var(--space-3); cursor: pointer; }
details { margin: var(--space-3) 0; border: 1px solid var(--line); border-radius: var(--radius); background: var(--surface); }
details div { overflow-x: auto; padding: 0 var(--space-3) var(--space-3); }
table { border-collapse: collapse; width: 100%; } td { padding: 0.3rem 0.8rem 0.3rem 0; vertical-align: top; border-top: 1px solid var(--line); }
`
export const MESSAGES_POLICY = `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escape = (text: string): string => text.replace(/[&<>"]/g, character => ENTITIES[character]!)
/** The little of Markdown that descriptions use. */
const write = (text: string): string =>
  escape(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replaceAll('\n\n', '</p><p>')

/** @returns the page; the same document always makes the same page */
export function renderMessagesPage(document: JSONObject, environment: string): string {
  const { info, channels, operations, components } = document as unknown as Described
  const resolve = (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : { ...components.schemas[schema.$ref.split('/').at(-1)!], ...schema }
  const typeOf = (schema: Schema): string => {
    const { $ref, type, anyOf, items, const: only, enum: choices } = schema
    if ($ref !== undefined) return $ref.split('/').at(-1)!
    if (only !== undefined) return JSON.stringify(only)
    if (choices !== undefined) return choices.map(choice => JSON.stringify(choice)).join(' | ')
    if (anyOf !== undefined) return anyOf.map(typeOf).join(' | ')
    return items === undefined ? (type ?? 'any') : `${typeOf(items)}[]`
  }
  const rowsOf = (given: Schema, prefix = ''): string => {
    const { properties = {}, required = [], anyOf = [] } = resolve(given)
    const rows = Object.entries(properties).map(([name, schema]) => {
      const path = `${prefix}${name}`
      const inner = rowsOf(resolve(schema).items ?? schema, `${path}.`)
      const { description = '' } = resolve(schema)
      return `<tr><td><code>${escape(path)}${required.includes(name) ? '' : '?'}</code></td><td><code>${escape(typeOf(schema))}</code></td><td>${write(description)}</td></tr>${inner}`
    })
    const alternatives = anyOf.filter(({ type }) => type !== 'null').map(schema => rowsOf(schema, prefix))
    return [...rows, ...alternatives].join('')
  }
  const actions = new Map(
    Object.values(operations).flatMap(({ action, messages }) => messages.map(({ $ref }) => [$ref, action])),
  )
  const renderMessage = (channel: string, { name, summary, payload }: Message): string => {
    const action = actions.get(`#/channels/${channel}/messages/${name}`) ?? 'reply'
    return `<details id="${escape(`${channel}-${name}`)}"><summary><code>${escape(name)}</code> (${action}) ${write(summary)}</summary><div><table>${rowsOf(payload)}</table></div></details>`
  }
  const sections = Object.entries(channels).map(
    ([name, { address, title, description, messages }]) =>
      `<section id="${escape(name)}"><h2>${write(title)}</h2>${address === null ? '' : `<p><code>${escape(address)}</code></p>`}<p>${write(description)}</p>${Object.values(
        messages,
      )
        .map(message => renderMessage(name, message))
        .join('')}</section>`,
  )
  const isOther = !isProduction(environment)
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${isOther ? `[${escape(environment)}] ` : ''}${escape(info.title)}</title>
    <link rel="icon" type="image/svg+xml" href="/console/${isOther ? 'icon-other' : 'icon'}.svg" />
    <style>${STYLE}</style>
  </head>
  <body>
    <main>
      <nav><a href="/docs/">REST</a> · Messages · <a href="/asyncapi.json">AsyncAPI</a></nav>
      <h1>${escape(info.title)}</h1>
      <p>${write(info.description)}</p>
      ${sections.join('\n      ')}
    </main>
  </body>
</html>
`
}
