// The table in docs/settings.md, built from the services' own schemas.
import { readFile, writeFile } from 'node:fs/promises'
import { MigrateConfig } from '@payment-tracking/store'
import type { TSchema } from 'typebox'
import { readServiceSchema, StackConfig, SERVICES } from '../launcher/index.js'

interface Setting {
  readers: string[]
  fallback: string
  meaning: string
}

const START = '<!-- settings: written by `UPDATE_DOCUMENTS=1 npm test -- test/house/readme.test.ts` -->'
const END = '<!-- end of settings -->'

/** Who sets a setting. What is in no list, hardly anybody sets. */
const GROUPS: { title: string; names: readonly string[] }[] = [
  {
    title: 'Everybody looks at these',
    names: [
      ...['PORT', 'HOST', 'DATA_DIR', 'DATABASE_URL', 'REDIS_URL', 'NATS_URL', 'ENVIRONMENT', 'LOG_LEVEL'],
      ...['TRUST_PROXY', 'CORS_ORIGIN', 'TOKENS', 'PROGRAM_ID', 'SOLANA_RPC_URLS', 'OPS_PORT', 'OPS_TOKEN'],
      ...['JWT_PRIVATE_KEYS', 'CHECKOUT_TOKEN_KEYS', 'WEBHOOK_ALLOW_PRIVATE_TARGETS'],
    ],
  },
  {
    title: 'Operators of a deployment',
    names: [
      ...['MIGRATION_DATABASE_URL', 'DATABASE_POOLER', 'DATABASE_REPLICA_URLS'],
      ...['DATABASE_TLS_CA', 'DATABASE_TLS_CERT', 'DATABASE_TLS_KEY'],
      ...[
        'REDIS_SENTINELS',
        'REDIS_MASTER',
        'REDIS_SENTINEL_PASSWORD',
        'REDIS_CLUSTER',
        'REALTIME_REDIS_URL',
      ],
      ...['REDIS_TLS_CA', 'REDIS_TLS_CERT', 'REDIS_TLS_KEY'],
      ...['NATS_CREDS', 'NATS_TLS_CA', 'NATS_TLS_CERT', 'NATS_TLS_KEY'],
      ...['STREAM_NAME', 'SUBJECT_PREFIX', 'STREAM_REPLICAS', 'REQUIRE_PROGRAM_ID'],
      ...['SOLANA_WS_URLS', 'INDEXER_START_SLOT', 'INDEXER_COMMITMENT'],
      ...['MANAGEMENT_HOST', 'MANAGEMENT_PORT', 'OPS_URL', 'EXPLORER_URL', 'CHECKOUT_TOKEN_ISSUER'],
      ...['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_TRACES_SAMPLER_ARG'],
      ...[
        'RATE_LIMIT_MAX',
        'DEAD_LETTER_RETENTION_DAYS',
        'WEBHOOK_RETENTION_DAYS',
        'EVENTS_RETENTION_MONTHS',
      ],
      ...['WEBHOOK_CONCURRENCY', 'STOP_DEADLINE_MS'],
    ],
  },
]
const RARELY = 'Rarely: the defaults serve'

type Described = TSchema & { default?: string | number | boolean; description?: string }

/** @returns a Markdown table for each group: every variable, who reads it, its default and what it means */
export async function renderSettingsTable(): Promise<string> {
  const settings = new Map<string, Setting>()
  const add = (reader: string, properties: Record<string, TSchema>, required: readonly string[]) => {
    for (const [name, property] of Object.entries(properties) as [string, Described][]) {
      const known = settings.get(name)
      if (known) {
        known.readers.push(reader)
        continue
      }
      const fallback =
        property.default !== undefined
          ? `\`${String(property.default)}\``
          : required.includes(name)
            ? 'required'
            : '–'
      settings.set(name, { readers: [reader], fallback, meaning: property.description ?? '' })
    }
  }
  add('npm start', StackConfig.properties, [])
  for (const service of SERVICES) {
    const schema = await readServiceSchema(service)
    if (schema) add(service, schema.properties, (schema as { required?: readonly string[] }).required ?? [])
  }
  add('migrate', MigrateConfig.properties, [])
  const escape = (text: string) => text.replaceAll('|', '\\|')
  const rowOf = ([name, { readers, fallback, meaning }]: [string, Setting]) => {
    const who = SERVICES.every(service => readers.includes(service)) ? 'all' : readers.join(', ')
    return `| \`${name}\` | ${fallback} | ${who} | ${escape(meaning)} |`
  }
  const titleOf = (name: string) => GROUPS.find(({ names }) => names.includes(name))?.title ?? RARELY
  const sections = [...GROUPS.map(({ title }) => title), RARELY].map(title => {
    const rows = [...settings].filter(([name]) => titleOf(name) === title).map(rowOf)
    return [
      `## ${title}`,
      '',
      '| variable | default | read by | meaning |',
      '| --- | --- | --- | --- |',
      ...rows,
    ]
  })
  return sections.map(lines => lines.join('\n')).join('\n\n')
}

/** The text between the marks, without the padding that formatting adds to cells. */
const compact = (table: string): string =>
  table
    .trim()
    .split('\n')
    .map(line => line.replace(/ *\| */g, '|').replace(/-{3,}/g, '---'))
    .join('\n')

/**
 * Compares the table in a document with the schemas, or writes it.
 * @returns the exit code
 */
export async function settingsTable(args: readonly string[]): Promise<number> {
  const [file, flag] = [
    args.find(arg => !arg.startsWith('-')) ?? 'docs/settings.md',
    args.includes('--write'),
  ]
  const text = await readFile(file, 'utf8')
  const start = text.indexOf(START)
  const end = text.indexOf(END)
  if (start === -1 || end === -1) throw new Error(`${file} lacks the marks ${START} and ${END}`)
  const table = await renderSettingsTable()
  if (compact(text.slice(start + START.length, end)) === compact(table)) return 0
  if (!flag) {
    console.error(
      `${file}: the table of settings is not what the services read; UPDATE_DOCUMENTS=1 writes it`,
    )
    return 1
  }
  await writeFile(file, `${text.slice(0, start)}${START}\n\n${table}\n\n${text.slice(end)}`)
  console.log(`wrote the table of settings into ${file}`)
  return 0
}
