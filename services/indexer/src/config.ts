import { ProgramSetting, StreamSettings } from '@payment-tracking/contracts'
import { CommonConfig, Flag, NatsConfig, StreamCopies } from '@payment-tracking/runtime'
import { Type, type Static } from 'typebox'
import type { IndexerSettings } from './indexer.js'
import type { INDEXER_TUNABLES } from './tunables.js'

/** Several addresses, separated by commas. They often hold an API key, so the indexer never logs them. */
const Urls = (scheme: string, description: string) =>
  Type.String({
    description,
    secret: true,
    pattern: `^\\s*${scheme}://[^,\\s]+(\\s*,\\s*${scheme}://[^,\\s]+)*\\s*$`,
  })

export const IndexerConfig = Type.Object({
  ...CommonConfig,
  ...NatsConfig,
  ...StreamSettings,
  ...StreamCopies,
  ...ProgramSetting,
  SOLANA_RPC_URLS: Urls(
    'https?',
    'Solana nodes, https://host/key, separated by commas; two or more are compared and asked in turn',
  ),
  SOLANA_WS_URLS: Type.Optional(
    Urls('wss?', 'WebSocket addresses of Solana nodes; made of SOLANA_RPC_URLS when not given'),
  ),
  INDEXER_START_SLOT: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: "where to begin without a checkpoint; the program's first transaction when not given",
    }),
  ),
  INDEXER_COMMITMENT: Type.Enum(['finalized', 'confirmed'], {
    default: 'finalized',
    description: 'when payments are published: final ones alone, or as soon as they are confirmed',
  }),
  INDEXER_CONCURRENCY: Type.Integer({
    default: 8,
    minimum: 1,
    maximum: 256,
    description: 'how many transactions are asked for at once',
  }),
  INDEXER_POLL_MS: Type.Integer({
    default: 2_000,
    minimum: 50,
    maximum: 60_000,
    description: 'how often the chain is looked at when no socket wakes the indexer; each check costs calls',
  }),
  FUNDS_CHECK: Flag(
    true,
    'reads the token accounts of what is due in three days or overdue, so that webhooks and records tell why a payment will not come; a call for 100 accounts every 5 minutes',
  ),
})

/** The settings as the parts of the indexer name them. */
export const settingsOf = (
  config: Static<typeof IndexerConfig>,
  tunables: typeof INDEXER_TUNABLES,
): IndexerSettings => ({
  ...tunables,
  programId: config.PROGRAM_ID,
  streamName: config.STREAM_NAME,
  subjectPrefix: config.SUBJECT_PREFIX,
  replicas: config.STREAM_REPLICAS,
  rpcUrls: config.SOLANA_RPC_URLS,
  wsUrls: config.SOLANA_WS_URLS,
  startSlot: config.INDEXER_START_SLOT,
  commitment: config.INDEXER_COMMITMENT,
  concurrency: config.INDEXER_CONCURRENCY,
  pollMs: config.INDEXER_POLL_MS,
  fundsCheck: config.FUNDS_CHECK,
})
