// The tables of docs/settings.md are those of the services' own schemas.
import { readServiceSchema, SERVICES, StackConfig } from '@payment-tracking/stack'
import { MigrateConfig } from '@payment-tracking/store/core'
import t from 'tap'
import { drawTable, replaceTables } from '../documents/table.js'
import { holdDocument, read } from '../repository.js'

/** Who sets a setting: everybody, or operators of a deployment. Hardly anybody sets the others. */
const GROUPS: readonly (readonly string[])[] = [
  [
    ...['PORT', 'HOST', 'DATA_DIR', 'DATABASE_URL', 'REDIS_URL', 'NATS_URL', 'ENVIRONMENT', 'LOG_LEVEL'],
    ...[
      'TRUST_PROXY',
      'CORS_ORIGIN',
      'PUBLIC_ORIGINS',
      'TOKENS',
      'PROGRAM_ID',
      'SOLANA_RPC_URLS',
      'OPS_PORT',
      'OPS_TOKEN',
    ],
    ...['JWT_PRIVATE_KEYS', 'CHECKOUT_TOKEN_KEYS', 'WEBHOOK_ALLOW_PRIVATE_TARGETS'],
  ],
  [
    ...['MIGRATION_DATABASE_URL', 'DATABASE_POOLER', 'DATABASE_REPLICA_URLS'],
    ...['DATABASE_TLS_CA', 'DATABASE_TLS_CERT', 'DATABASE_TLS_KEY'],
    ...['REDIS_SENTINELS', 'REDIS_MASTER', 'REDIS_SENTINEL_PASSWORD', 'REDIS_CLUSTER', 'REALTIME_REDIS_URL'],
    ...['REDIS_TLS_CA', 'REDIS_TLS_CERT', 'REDIS_TLS_KEY'],
    ...['NATS_CREDS', 'NATS_TLS_CA', 'NATS_TLS_CERT', 'NATS_TLS_KEY'],
    ...['STREAM_NAME', 'SUBJECT_PREFIX', 'STREAM_REPLICAS', 'REQUIRE_PROGRAM_ID'],
    ...['SOLANA_WS_URLS', 'INDEXER_START_SLOT', 'INDEXER_COMMITMENT'],
    ...['MANAGEMENT_HOST', 'MANAGEMENT_PORT', 'OPS_URL', 'EXPLORER_URL', 'CHECKOUT_TOKEN_ISSUER'],
    ...['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_TRACES_SAMPLER_ARG'],
    ...['RATE_LIMIT_MAX', 'DEAD_LETTER_RETENTION_DAYS', 'WEBHOOK_RETENTION_DAYS', 'EVENTS_RETENTION_MONTHS'],
    ...['WEBHOOK_CONCURRENCY', 'WEBHOOK_PROXY_URL', 'WEBHOOK_NO_PROXY', 'STOP_DEADLINE_MS'],
  ],
]

interface Described {
  default?: string | number | boolean
  description?: string
}

/** What each reader has of a setting. */
type Setting = { reader: string; fallback: string; meaning: string }[]

/** What all say; where they differ, what each says and who does. Of what a setting means, `npm start` speaks for all. */
function ofReaders(setting: Setting, part: 'fallback' | 'meaning'): string {
  if (part === 'meaning' && setting[0]!.reader === 'npm start') return setting[0]!.meaning
  const said = [...new Set(setting.map(each => each[part]))].filter(text => text !== '')
  if (said.length < 2) return said.join('')
  const whoSays = (text: string) => setting.filter(each => each[part] === text).map(({ reader }) => reader)
  return said.map(text => `${text} (${whoSays(text).join(', ')})`).join('; ')
}

async function readSettings(): Promise<Map<string, Setting>> {
  const settings = new Map<string, Setting>()
  const add = (
    reader: string,
    { properties, required = [] }: { properties: object; required?: string[] },
  ) => {
    for (const [name, property] of Object.entries(properties) as [string, Described][]) {
      const missing = required.includes(name) ? 'required' : '–'
      const { default: value, description: meaning = '' } = property
      const fallback = value === undefined ? missing : `\`${String(value)}\``
      settings.set(name, [...(settings.get(name) ?? []), { reader, fallback, meaning }])
    }
  }
  // `npm start` sets what its services require, so it requires nothing itself.
  add('npm start', { properties: StackConfig.properties })
  for (const service of SERVICES) {
    const schema = await readServiceSchema(service)
    if (schema) add(service, schema)
  }
  add('migrate', { properties: MigrateConfig.properties })
  return settings
}

/** @returns the document with a table for each group: every variable, its default, who reads it and what it means */
async function writeSettings(document: string): Promise<string> {
  const settings = await readSettings()
  const groupOf = (name: string) => {
    const group = GROUPS.findIndex(names => names.includes(name))
    return group < 0 ? GROUPS.length : group
  }
  const tables = [...GROUPS, []].map((_, group) => {
    const rows = [...settings]
      .filter(([name]) => groupOf(name) === group)
      .map(([name, setting]) => {
        const readers = setting.map(({ reader }) => reader)
        return [
          `\`${name}\``,
          ofReaders(setting, 'fallback'),
          SERVICES.every(service => readers.includes(service)) ? 'all' : readers.join(', '),
          ofReaders(setting, 'meaning').replaceAll('|', '\\|'),
        ]
      })
    return drawTable([['variable', 'default', 'read by', 'meaning'], ...rows])
  })
  return replaceTables(document, tables)
}

t.test('the table of settings equals the settings of the services', async t => {
  holdDocument(t, 'docs/settings.md', await writeSettings(read('docs/settings.md')))
})
