// The table in docs/settings.md, built from the services' own schemas.
import { readFile, writeFile } from 'node:fs/promises'
import { MigrateConfig } from '@payment-tracking/store'
import type { TSchema } from 'typebox'
import { readServiceSchema, StackConfig } from '../launcher/config.js'
import { SERVICES } from '../launcher/service-specs.js'

interface Setting {
  readers: string[]
  fallback: string
  meaning: string
}

const START = '<!-- settings: written by `node scripts/settings-table.mjs --write` -->'
const END = '<!-- end of settings -->'

type Described = TSchema & { default?: string | number | boolean; description?: string }

/** @returns a Markdown table of every variable, who reads it, its default and what it means */
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
  const rows = [...settings].map(([name, { readers, fallback, meaning }]) => {
    const who = SERVICES.every(service => readers.includes(service)) ? 'all' : readers.join(', ')
    return `| \`${name}\` | ${fallback} | ${who} | ${escape(meaning)} |`
  })
  return ['| variable | default | read by | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n')
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
      `${file}: the table of settings is not what the services read; run node scripts/settings-table.mjs --write`,
    )
    return 1
  }
  await writeFile(file, `${text.slice(0, start)}${START}\n\n${table}\n\n${text.slice(end)}`)
  console.log(`wrote the table of settings into ${file}`)
  return 0
}
