// The page of the OpenAPI document, made of the document: each operation with its parameters, its answer and a call.
import { escape, renderFrame, write } from '../pages/frame.js'
import type { JSONObject } from './json-object.js'
import { buildSchemaRows, type Schema } from './schema-rows.js'

interface Content {
  content?: Record<string, { schema?: Schema }>
  description?: string
}
export interface Operation {
  summary: string
  description?: string
  tags: string[]
  security?: Record<string, unknown>[]
  parameters?: {
    name: string
    in: string
    required?: boolean
    description?: string
    example?: unknown
    schema: Schema
  }[]
  requestBody?: Content
  responses: Record<string, Content>
}
export interface Described {
  info: { title: string; description: string }
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

export interface ListedOperation {
  method: string
  path: string
  operation: Operation
  /** the anchor on the page */
  anchor: string
}

export const tagAnchor = (tag: string): string => `tag/${tag.replaceAll(' ', '-')}`

export const listOperations = (document: JSONObject): ListedOperation[] =>
  Object.entries((document as unknown as Described).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
      anchor: `${tagAnchor(operation.tags[0]!)}/${method.toUpperCase()}${path}`,
    })),
  )

/** A line for a shell; what has no example is named in capitals. */
function callOf({ method, path, operation }: ListedOperation, baseUrl: string): string {
  const valueOf = (name: string) => {
    const example = operation.parameters?.find(each => each.name === name)?.example
    return typeof example === 'string' || typeof example === 'number' ? String(example) : name.toUpperCase()
  }
  const url = `${baseUrl}${path.replace(/\{(\w+)\}/g, (_, name: string) => valueOf(name))}`
  const needed = operation.parameters?.filter(each => each.in === 'query' && each.required === true) ?? []
  const query = needed.map(({ name }) => `${name}=${encodeURIComponent(valueOf(name))}`).join('&')
  return [
    "curl -sw '\\n'",
    ...(method === 'GET' ? [] : ['-X', method]),
    `'${url}${query && `?${query}`}'`,
    ...(operation.security?.length ? ['-H "authorization: Bearer $TOKEN"'] : []),
    ...(operation.requestBody ? ["-H 'content-type: application/json'", "-d '{…}'"] : []),
  ].join(' ')
}

/** @param baseUrl where the reader reached this server */
export function renderRestPage(document: JSONObject, environment: string, baseUrl: string): string {
  const { tags, components } = document as unknown as Described
  const { rowsOf, typeOf } = buildSchemaRows(components.schemas)
  const fold = (title: string, { content = {} }: Content): string => {
    const schema = Object.values(content)[0]?.schema
    if (schema === undefined) return ''
    return `<details><summary>${title} <code>${escape(typeOf(schema))}</code></summary><div><table>${rowsOf(schema)}</table></div></details>`
  }
  const renderOperation = (listed: ListedOperation): string => {
    const { method, path, operation, anchor } = listed
    const { parameters = [], requestBody, responses, summary, description = '' } = operation
    const rows = parameters.map(
      ({ name, in: place, required, schema, description: means = '' }) =>
        `<tr><td><code>${escape(name)}${required ? '' : '?'}</code></td><td>${escape(place)}</td><td><code>${escape(typeOf(schema))}</code></td><td>${write(means)}</td></tr>`,
    )
    const [status, answer] = Object.entries(responses).find(([each]) => each.startsWith('2')) ?? ['', {}]
    return `<article id="${escape(anchor)}"><h3><a href="#${escape(anchor)}"><code>${method} ${escape(path)}</code></a></h3><p><strong>${write(summary)}.</strong> ${write(description)}</p>${rows.length === 0 ? '' : `<div class="table"><table>${rows.join('')}</table></div>`}${requestBody ? fold('Body', requestBody) : ''}${fold(`Answer ${status}`, answer)}<pre>${escape(callOf(listed, baseUrl))}</pre></article>`
  }
  const operations = listOperations(document)
  const ofTag = (tag: string) => operations.filter(({ operation }) => operation.tags[0] === tag)
  const sections = tags.map(
    ({ name, description }) =>
      `<section id="${escape(tagAnchor(name))}"><h2>${escape(name)}</h2><p>${write(description)}</p>${ofTag(name).map(renderOperation).join('\n')}</section>`,
  )
  return renderFrame({
    title: 'Payment tracking: REST',
    environment,
    here: 'rest',
    body: `<h1>REST</h1>
<p>${tags.map(({ name }) => `<a href="#${escape(tagAnchor(name))}">${escape(name)}</a>`).join(' · ')}</p>
<p><a href="/openapi.json">OpenAPI</a> describes the same for machines; <a href="/docs/errors.md">the errors</a> have one shape.</p>
${sections.join('\n')}`,
  })
}
