// What is done in pages: by ingest, under the writer lock, and by workers, each under a lease.

export const INGEST_KINDS = [
  'policy',
  'user-payment',
  'hour',
  'watermark',
  'details',
  'expectation',
  'expected-payment',
  'expected-finality',
  'rebuild',
  'gateway',
  'account',
  'figures',
] as const
export type IngestKind = (typeof INGEST_KINDS)[number]

export const WEBHOOK_KINDS = ['cancel', 'redeliver', 'replay'] as const
export type WebhookWorkKind = (typeof WEBHOOK_KINDS)[number]
