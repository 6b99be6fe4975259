// A chain, its nodes, a stream, and indexers as separate processes.
import { openBus } from '@payment-tracking/bus'
import { discriminatorOf, writeEventBytes, type EventData } from '@payment-tracking/chain'
import { createLogger } from '@payment-tracking/runtime'
import {
  openSimulatedNode,
  SimulatedChain,
  type ChainOptions,
  type PuppetCall,
  type SimulatedNode,
  type Step,
} from '@payment-tracking/simulator'
import {
  startService,
  useNats,
  waitFor,
  type StartedService,
  type StartOptions,
} from '@payment-tracking/testkit'
import bs58 from 'bs58'
import { createHash } from 'node:crypto'

export const PROGRAM = 'TRibg8W8zmPHQqWtyAD1rEBRXEdyU13Mu6qX1Sg42tJ'
export const STRANGER = 'Stranger11111111111111111111111111111111111'
export const OTHER = 'Strange211111111111111111111111111111111111'

export const key = (seed: string) => bs58.encode(createHash('sha256').update(seed).digest())

export const paymentData = (policy: string, recordId: number, changes: EventData = {}): EventData => ({
  payment_policy: key(policy),
  gateway: key('gateway'),
  amount: '1000000',
  timestamp: '1780000000',
  memo: [...Buffer.from(policy.padEnd(64, '\0'))],
  record_id: recordId,
  payer: key('payer'),
  recipient: key('recipient'),
  token_mint: key('mint'),
  ...changes,
})

export const paymentBytes = (policy: string, recordId: number, changes?: EventData) =>
  writeEventBytes('PaymentRecord', paymentData(policy, recordId, changes))

/** A call of the program. @param steps what it does */
export const call = (instruction: string, ...steps: Step[]): PuppetCall => ({
  program: PROGRAM,
  discriminator: discriminatorOf('global', instruction),
  steps,
})

export const pay = (policy: string, recordId: number, changes?: EventData): PuppetCall =>
  call('execute_payment', { log: paymentBytes(policy, recordId, changes) })

export const stranger = (...steps: Step[]): PuppetCall => ({
  program: STRANGER,
  discriminator: Buffer.alloc(8, 9),
  steps,
})

export interface StreamRecord {
  kind: string
  body: Record<string, unknown> & {
    signature: string
    slot: number
    index: number
    data: Record<string, unknown>
  }
}

interface RigOptions {
  nodes?: number
  env?: Record<string, string>
  chain?: Partial<ChainOptions>
  /** a private NATS that the test may kill */
  natsUrl?: string
  replicas?: number
}

type TestContext = Parameters<typeof useNats>[0]

export async function openRig(
  t: TestContext,
  { nodes: count = 1, env = {}, chain: options = {}, natsUrl, replicas = 1 }: RigOptions = {},
) {
  const nats = natsUrl ? { url: natsUrl, stream: 'KILLED', subjectPrefix: 'test.killed' } : await useNats(t)
  const chain = new SimulatedChain({ programs: [PROGRAM, STRANGER, OTHER], ...options })
  const nodes: SimulatedNode[] = []
  for (let at = 0; at < count; at++) nodes.push(await openSimulatedNode(chain))
  t.teardown(() => Promise.all(nodes.map(node => node.close())))
  const log = createLogger('test', { LOG_LEVEL: 'silent', ENVIRONMENT: 'production' })
  const bus = await openBus({ NATS_URL: nats.url }, 'rig', log)
  t.teardown(() => bus.close())
  // A cluster that was just started may have no leader yet.
  const making = () =>
    bus.ensureStream({ streamName: nats.stream, subjectPrefix: nats.subjectPrefix, replicas })
  await waitFor(() => making().then(() => true), { what: 'the stream', timeoutMs: 60_000 })
  const settings = {
    NATS_URL: nats.url,
    STREAM_NAME: nats.stream,
    SUBJECT_PREFIX: nats.subjectPrefix,
    SOLANA_RPC_URLS: nodes.map(({ url }) => url).join(','),
    INDEXER_POLL_MS: '100',
    ...env,
  }
  /** Everything on the stream, in its order. */
  const read = async (): Promise<StreamRecord[]> => {
    const records: StreamRecord[] = []
    const stream = { streamName: nats.stream, subjectPrefix: nats.subjectPrefix, replicas }
    await bus.readAgain({ ...stream, from: 1, batchSize: 500 }, async messages => {
      for (const { subject, bytes } of messages)
        records.push({
          kind: subject.slice(nats.subjectPrefix.length + 1),
          body: JSON.parse(Buffer.from(bytes).toString()) as StreamRecord['body'],
        })
      return Promise.resolve(undefined)
    })
    return records
  }
  const keys = await waitFor(() => bus.openKeyValue(`INDEXER_${nats.stream}`, nats.stream), {
    what: 'the bucket',
    timeoutMs: 60_000,
  })
  t.teardown(async () => {
    if (!('connection' in nats)) return
    const view = await nats.connection.jetstream().views.kv(`INDEXER_${nats.stream}`)
    await view.destroy()
  })
  const through = async (): Promise<number> => {
    const entry = await keys.get('checkpoint')
    return entry?.value ? (JSON.parse(entry.value) as { through: number }).through : 0
  }
  return {
    chain,
    nodes,
    nats,
    bus,
    settings,
    read,
    through,
    /** Events alone. */
    events: async () => (await read()).filter(({ kind }) => !kind.startsWith('control.')),
    controls: async (kind: string) => (await read()).filter(each => each.kind === `control.${kind}`),
    start: (more: Record<string, string> = {}, options: StartOptions = {}): Promise<StartedService> =>
      startService(t, 'indexer', { ...settings, ...more }, options),
    /** Whether each reported gap has been closed. */
    gapsClosed: async () => {
      const gaps = (await read()).filter(({ kind }) => kind === 'control.gap')
      const rangeOf = ({ body: { signature, fromSlot, toSlot } }: StreamRecord) =>
        `${signature ?? ''} ${String(fromSlot)} ${String(toSlot)}`
      const closed = new Set(gaps.filter(({ body }) => body.closed === true).map(rangeOf))
      return gaps.every(gap => closed.has(rangeOf(gap)))
    },
    /** Makes everything so far final and waits until it is published. */
    settle: async (timeoutMs = 90_000) => {
      const slot = chain.tip
      chain.finalize()
      await waitFor(async () => (await through()) >= slot, {
        what: `slot ${slot} published`,
        timeoutMs,
      })
    },
  }
}

export type Rig = Awaited<ReturnType<typeof openRig>>

/** The record numbers of the stream's events, in its order. */
export const recordIds = async (rig: Rig): Promise<number[]> =>
  (await rig.events()).map(({ body }) => body.data.record_id as number)

/** Pays once a block. @returns the signatures */
export const payMany = (rig: Rig, policy: string, from: number, count: number): string[] =>
  Array.from({ length: count }, (_, at) => {
    rig.chain.advance()
    return rig.chain.execute([pay(policy, from + at)]).signature
  })

/** `from`, `to` and all between. */
export const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at)
