// `/llms.txt` and the documents as Markdown, for programs that read: made of the files of docs/ when they are asked for.
import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ApiServer } from '../api-server.js'
import { baseUrlOf } from '../reference/add-reference.js'
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

/** Adds a route for each document: an unknown one is an unknown path. */
export function addDocuments(app: ApiServer): void {
  const files = listFiles()
  const served = new Set(files)
  const options = { schema: { hide: true } } as const
  const read = async (file: string) =>
    renderDocument(file, await readFile(join(FOLDER, file), 'utf8'), name => served.has(name))

  for (const file of files) {
    const type = file.endsWith('.md') ? 'text/markdown' : 'text/plain'
    let text: Promise<string> | undefined
    app.get(`${DOCUMENTS_PATH}${file}`, options, async (_request, reply) =>
      reply
        .type(`${type}; charset=utf-8`)
        .send(await (text ??= file.endsWith('.md') ? read(file) : readFile(join(FOLDER, file), 'utf8'))),
    )
  }

  let summaries: Promise<[string, DocumentSummary][]> | undefined
  app.get('/llms.txt', options, async (request, reply) => {
    summaries ??= Promise.all(
      files
        .filter(file => file.endsWith('.md'))
        .map(async (file): Promise<[string, DocumentSummary]> => [file, summarise(await read(file))]),
    )
    const base = baseUrlOf(request).replace(/\/$/, '')
    const documents = await summaries
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
