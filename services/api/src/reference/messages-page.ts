// The page of the AsyncAPI document, made of the document.
import { escape, renderFrame, write } from '../pages/frame.js'
import type { JSONObject } from './json-object.js'
import { buildSchemaRows, type Schema } from './schema-rows.js'

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

/** @returns the page; the same document always makes the same page */
export function renderMessagesPage(document: JSONObject, environment: string): string {
  const { info, channels, operations, components } = document as unknown as Described
  const { rowsOf } = buildSchemaRows(components.schemas)
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
  return renderFrame({
    title: info.title,
    environment,
    here: 'messages',
    body: `<h1>${escape(info.title)}</h1>
<p>${write(info.description)}</p>
<p><a href="/asyncapi.json">AsyncAPI</a></p>
${sections.join('\n')}`,
  })
}
