// In a process of its own: a process keeps one query compiler for all clients of Prisma.
import t from 'tap'
import { sql } from '../../../src/core/database/sql.js'
import { openTestStore } from '../../open-test-store.js'

const BIG = 1_000_000
let loaded = 0
const { Module } = WebAssembly
WebAssembly.Module = class extends Module {
  constructor(bytes: BufferSource) {
    super(bytes)
    if (bytes.byteLength > BIG) loaded += 1
  }
}

t.test("Prisma's query compiler is loaded once, for a transaction or a statement of a model", async t => {
  const [other, { store }] = [await openTestStore(t), await openTestStore(t)]
  const { database } = store
  t.same(await database.write(sql`select 1 as one`), [{ one: 1 }])
  await database.pipelinedTransaction(async tx => void (await tx.$executeRaw(sql`select 1`)))
  t.equal(loaded, 0)
  await database.transaction(async () => void t.equal(loaded, 1, 'Postgres does not wait for it'))
  t.equal(await database.withModels(models => models.webhook.count()), 0)
  t.equal(await other.store.database.withModels(models => models.webhook.count()), 0)
  t.equal(loaded, 1)
})
