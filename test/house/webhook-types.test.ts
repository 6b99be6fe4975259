// The table of types in docs/webhooks.md is what the description of the API says of each.
import { WEBHOOK_EVENT_TYPES } from '@payment-tracking/domain'
import t from 'tap'
import { drawTable, replaceTables } from '../documents/table.js'
import { holdDocument, read } from '../repository.js'

const { webhooks } = JSON.parse(read('packages/client/openapi.json')) as {
  webhooks: Record<string, { post: { summary: string; description: string } }>
}

t.test('docs/webhooks.md has each type that a webhook can ask for', async t => {
  const rows = Object.entries(webhooks).map(([type, { post }]) => [
    `\`${type}\``,
    `${post.summary}. ${post.description.replace(/\.$/, '')}`,
  ])
  for (const type of WEBHOOK_EVENT_TYPES) t.ok(type in webhooks, type)
  const table = drawTable([['`type`', 'sent when'], ...rows])
  holdDocument(t, 'docs/webhooks.md', replaceTables(read('docs/webhooks.md'), [table]))
})
