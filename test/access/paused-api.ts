// A process of the API that is paused in the middle of a request: whatever it has locked, ingest goes on.
import { waitFor } from '@payment-tracking/testkit'
import type { Test } from 'tap'
import type { Operation } from './description.js'
import type { openSystem, Party } from './open-system.js'
import { REQUESTS, type Target } from './requests.js'

/** As Prisma's client sends it, and no column of a similar name. */
const COMMIT = 'commit\0'

/** Write what ends with a gateway; the pool of the API has a connection for each, and one more. */
const ENDED = ['updateWebhook', 'revokeApiKey']

type System = Awaited<ReturnType<typeof openSystem>>

/** The pids of ingest that wait for a session of the API. */
const WAITING = `
  select a.pid, b.query from pg_stat_activity a join pg_stat_activity b on b.pid = any(pg_blocking_pids(a.pid))
   where a.application_name = 'ingest' and b.application_name = 'payment-tracking-api'`

/** Waits until something is stored. @returns the statements of the API for which ingest waited meanwhile */
async function whileStoring({ pool }: System, signature: string): Promise<string[]> {
  const blocking = new Set<string>()
  await waitFor(
    async () => {
      for (const { query } of (await pool.query<{ query: string }>(WAITING)).rows) blocking.add(query)
      return (await pool.query('select from events where signature = $1', [signature])).rowCount! > 0
    },
    { what: 'the message to be stored', intervalMs: 5 },
  )
  return [...blocking]
}

/** Sends a request whose transactions never commit. @returns when its process is paused, or has answered */
async function pauseIn(system: System, operation: Operation, target: Target, token: string): Promise<void> {
  const { call, databaseLink, urls } = system
  const { path, body } = REQUESTS[operation.id]!(target)
  const before = databaseLink.held()
  let isOver = false
  void call(operation.method, path, { body, token, headers: { origin: urls.api } }).finally(
    () => (isOver = true),
  )
  await waitFor(() => isOver || databaseLink.held() > before, { what: operation.id })
}

/** For each route that writes: the process is paused in it while ingest stores what concerns the same rows. */
export async function pauseInEach(t: Test, system: System, operations: readonly Operation[]): Promise<void> {
  const { databaseLink } = system
  const party = await system.addParty('paused')
  const targetOf = (own: Party): Target => ({ ...own, keyId: own.key.id })
  const paused: string[] = []
  const pause = async (operation: Operation, target: Target) => {
    const before = databaseLink.held()
    await pauseIn(system, operation, target, party.token)
    if (databaseLink.held() > before) paused.push(operation.id)
  }
  for (const operation of operations) {
    const sale = await system.pay(party, 'a sale')
    const deliveryId = await waitFor(
      async () =>
        (
          await system.pool.query<{ id: string }>(
            'select d.id from deliveries d join events e on e.id = d.event_id where e.signature = $1',
            [sale.signature],
          )
        ).rows[0]?.id,
      { what: 'the delivery of a sale' },
    )
    databaseLink.holdAt(COMMIT)
    await pause(operation, { ...targetOf(party), deliveryId: Number(deliveryId) })
    databaseLink.holdAt(null)
    await system.retract(sale)
    const part = await system.pay(party, 'a cart')
    t.same(await whileStoring(system, part.signature), [], `${operation.id} made ingest wait`)
    databaseLink.cutHeld()
    await waitFor(() => databaseLink.held() === 0, { what: 'the end of the pause' })
  }
  // The end of a gateway ends its webhooks and its keys: it waits until Postgres ends the paused transactions, for a second.
  const ending = operations.filter(({ id }) => ENDED.includes(id))
  const webhookIds = await Promise.all(ending.map(() => system.addWebhook(party)))
  databaseLink.holdAt(COMMIT)
  for (const [nth, operation] of ending.entries())
    await pause(operation, { ...targetOf(party), webhookId: webhookIds[nth]! })
  databaseLink.holdAt(null)
  await whileStoring(system, (await system.deleteGateway(party)).signature)
  await waitFor(() => databaseLink.held() === 0, { what: 'the end of the paused transactions' })
  for (const id of ['createWebhook', 'updateWebhook', 'revokeApiKey', 'createExpectation'])
    t.ok(paused.includes(id), `${id} was paused in its transaction`)
}
