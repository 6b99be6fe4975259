import t from 'tap'
import { findSecrets, spellingsOf } from './find-secrets.js'

t.test('secrets are found in all their spellings', async t => {
  const secret = 'pa ss/wörd?1+'
  const text = [`x ${secret}`, encodeURIComponent(secret), Buffer.from(`user:${secret} `).toString('base64')]
  for (const line of text) t.equal(findSecrets(line, { it: secret }).length, 1, line)
  t.same(findSecrets('nothing here', { it: secret }), [])
  t.ok(spellingsOf(secret).every(spelling => spelling.length >= 8))
})
