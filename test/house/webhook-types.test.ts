// The table of types in docs/webhooks.md is what the description of the API says of each.
import { readFileSync, writeFileSync } from 'node:fs'
import { WEBHOOK_EVENT_TYPES } from '@payment-tracking/domain'
import t from 'tap'
import { drawTable, replaceTables } from '../documents/table.js'

const DOCUMENT = new URL('../../docs/webhooks.md', import.meta.url)
const { webhooks } = JSON.parse(
  readFileSync(new URL('../../packages/client/openapi.json', import.meta.url), 'utf8'),
) as { webhooks: Record<string, { post: { summary: string; description: string } }> }

t.test('docs/webhooks.md has each type that a webhook can ask for', async t => {
  const rows = Object.entries(webhooks).map(([type, { post }]) => [
    `\`${type}\``,
    `${post.summary}. ${post.description.replace(/\.$/, '')}`,
  ])
  for (const type of WEBHOOK_EVENT_TYPES) t.ok(type in webhooks, type)
  const written = replaceTables(readFileSync(DOCUMENT, 'utf8'), [
    drawTable([['`type`', 'sent when'], ...rows]),
  ])
  if (process.env.UPDATE_DOCUMENTS === '1') writeFileSync(DOCUMENT, written)
  t.equal(readFileSync(DOCUMENT, 'utf8'), written, 'UPDATE_DOCUMENTS=1 writes it')
})
