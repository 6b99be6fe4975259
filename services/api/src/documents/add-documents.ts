// `/llms.txt` and the documents as Markdown, for programs that read: made of the files of docs/ when they are asked for.
import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyReply } from 'fastify'
import type { ApiServer } from '../api-server.js'
import type { ApiConfig } from '../config.js'
import { baseUrlOf } from '../http/base-url.js'
import { PLACES, REFERENCE_POLICY, escape, renderFrame } from '../pages/frame.js'
import { isPerson } from '../http/is-person.js'
import { renderMarkdown, sectionsOf } from './markdown-page.js'
import { DOCUMENTS_PATH, renderDocument, summarise, type DocumentSummary } from './render-document.js'

/** In the repository and in the image alike. */
const FOLDER = fileURLToPath(new URL('../../../../docs', import.meta.url))
const PROGRAMS = /^examples\/.+\.(mjs|py|tsx|html)$/

const INTRODUCTION = `# Payment tracking

> Subscriptions, one-time payments and events of a Solana recurring-payments program: read from the chain, stored once, served by
> REST, and told by Socket.IO, server-sent events and signed webhooks.

**Anyone can write any memo.** A payment that carries a tracking ID proves nothing by itself: check recipient, token mint and
amount before you ship. \`GET /v1/payments/check\` asks for all four in one call.`

/** What machines read besides. */
const DESCRIPTIONS = [
  ['/openapi.json', 'OpenAPI 3.1', 'every route, parameter and answer.'],
  ['/asyncapi.json', 'AsyncAPI 3.0', 'sockets, streams, webhooks and the subjects of NATS.'],
  ['/v1/health', 'Health', 'whether this process answers, and its version.'],
] as const

function listFiles(): string[] {
  if (!existsSync(FOLDER)) return []
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  return files.filter(file => file.endsWith('.md') || PROGRAMS.test(file)).sort()
}

const isDocument = (file: string): boolean => file.endsWith('.md')

function buildReader(files: readonly string[]) {
  const served = new Set(files)
  return async (file: string) =>
    renderDocument(file, await readFile(join(FOLDER, file), 'utf8'), name => served.has(name))
}

/** The sections of all documents, as the search shows them. */
export async function listSections() {
  const files = listFiles()
  const read = buildReader(files)
  const documents = files
    .filter(isDocument)
    .map(async file => ({ file, sections: sectionsOf(await read(file)) }))
  return (await Promise.all(documents)).flatMap(({ file, sections }) =>
    sections.map(({ title, anchor, text }) => ({
      place: sections[0]!.title,
      title,
      href: `${DOCUMENTS_PATH}${file}#${anchor}`,
      text,
    })),
  )
}

/** Adds a route for each document: an unknown one is an unknown path. People get pages, programs Markdown. */
export function addDocuments(app: ApiServer, { config }: { config: Pick<ApiConfig, 'ENVIRONMENT'> }): void {
  const files = listFiles()
  const options = { schema: { hide: true } } as const
  const read = buildReader(files)
  const show = (reply: FastifyReply, title: string, body: string) =>
    reply
      .header('content-security-policy', REFERENCE_POLICY)
      .type('text/html; charset=utf-8')
      .serializer(String)
      .send(renderFrame({ title, environment: config.ENVIRONMENT, here: 'guides', body }))

  for (const file of files) {
    let text: Promise<string> | undefined
    app.get(`${DOCUMENTS_PATH}${file}`, options, async (request, reply) => {
      text ??= isDocument(file) ? read(file) : readFile(join(FOLDER, file), 'utf8')
      void reply.header('vary', 'accept')
      if (!isDocument(file)) return reply.type('text/plain; charset=utf-8').send(await text)
      if (!isPerson(request.headers.accept))
        return reply.type('text/markdown; charset=utf-8').send(await text)
      return show(reply, summarise(await text).title, renderMarkdown(await text))
    })
  }

  let summaries: Promise<[string, DocumentSummary][]> | undefined
  const readSummaries = () =>
    (summaries ??= Promise.all(
      files
        .filter(isDocument)
        .map(async (file): Promise<[string, DocumentSummary]> => [file, summarise(await read(file))]),
    ))
  const guides = PLACES.guides.href
  app.get(guides.slice(0, -1), options, (_request, reply) => reply.redirect(guides, 301))
  app.get(guides, options, async (_request, reply) => {
    const documents = await readSummaries()
    const list = (isOne: (file: string) => boolean) =>
      `<ul>${documents
        .filter(([file]) => isOne(file))
        .map(
          ([file, { title, summary }]) =>
            `<li><a href="${DOCUMENTS_PATH}${escape(file)}">${escape(title)}</a>: ${escape(summary)}</li>`,
        )
        .join('')}</ul>`
    const body = `<h1>Guides</h1>${list(file => file.startsWith('guides/'))}<h2>Documents</h2>${list(file => !file.includes('/'))}`
    return show(reply, 'Payment tracking: guides', body)
  })
  app.get('/llms.txt', options, async (request, reply) => {
    const base = baseUrlOf(request).replace(/\/$/, '')
    const documents = await readSummaries()
    const list = (isOne: (file: string) => boolean) =>
      documents
        .filter(([file]) => isOne(file))
        .map(([file, { title, summary }]) => `- [${title}](${base}${DOCUMENTS_PATH}${file}): ${summary}`)
        .join('\n')
    const machines = DESCRIPTIONS.map(([path, name, what]) => `- [${name}](${base}${path}): ${what}`).join(
      '\n',
    )
    const programs = files
      .filter(file => PROGRAMS.test(file))
      .map(file => `- [${file}](${base}${DOCUMENTS_PATH}${file})`)
      .join('\n')
    const text = `${INTRODUCTION}

## Guides

${list(file => file.startsWith('guides/'))}

## Descriptions

${machines}

## Documents

${list(file => !file.includes('/'))}

## Examples

${programs}
`
    return reply.type('text/plain; charset=utf-8').send(text)
  })
}
