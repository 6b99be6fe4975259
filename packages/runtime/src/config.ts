import { readFileSync } from 'node:fs'
import { Type, type Static, type TObject, type TProperties, type TSchema } from 'typebox'
import { ServiceError } from './error.js'
import { schemaProblem } from './schema-problem.js'

/** Names every wrong or missing variable of the environment, with the cure, in one message. */
export class ConfigError extends ServiceError {
  readonly code = 'CONFIG_INVALID'
  readonly retry = 'never'

  constructor(readonly problems: readonly string[]) {
    super(`bad configuration:\n${problems.map(problem => `  - ${problem}`).join('\n')}`)
  }
}

const TRUE = new Set(['1', 'true', 'yes', 'on'])
const FALSE = new Set(['0', 'false', 'no', 'off'])

/** TypeBox knows the required names only as a type; in the schema they are there. */
const requiredOf = (schema: object): readonly string[] =>
  (schema as { required?: readonly string[] }).required ?? []

/** Converts the text of a variable to the type in the schema. Text that does not fit stays text. */
function coerce(schema: TSchema & { type?: string }, text: string): unknown {
  if (schema.type === 'integer' || schema.type === 'number') {
    return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text
  }
  if (schema.type === 'boolean') {
    const word = text.toLowerCase()
    return TRUE.has(word) ? true : FALSE.has(word) ? false : text
  }
  if (schema.type === 'array') return text.split(',').map(part => part.trim())
  return text
}

/** A description without a full stop: error messages and the table in docs/settings.md continue it. */
const cure = (schema: TSchema & { description?: string }): string =>
  schema.description ? ` (${schema.description})` : ''

/** Settings that may be given by a file whose path `<NAME>_FILE` holds, as Docker and Kubernetes mount secrets. */
const mayBeFile = (schema: TSchema): boolean => {
  const { secret, serverUrl } = schema as { secret?: boolean; serverUrl?: boolean }
  return secret === true || serverUrl === true
}

/** The text of a setting, from its variable or its file. @throws Error when there are both, or the file is unreadable */
function readText(name: string, schema: TSchema, env: Readonly<Record<string, string | undefined>>): string {
  const text = env[name]?.trim() ?? ''
  const file = mayBeFile(schema) ? env[`${name}_FILE`]?.trim() : undefined
  if (!file) return text
  if (text !== '') throw new Error(`${name} and ${name}_FILE are both set: remove one of them`)
  try {
    const content = readFileSync(file, 'utf8').trim()
    if (content === '') throw new Error('it is empty')
    return content
  } catch (error) {
    throw new Error(`${name}_FILE names a file that cannot be used: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

/**
 * Reads a service's settings from the environment. Empty variables count as not set. Secrets and addresses of servers
 * may also come from a file, whose path `<NAME>_FILE` holds.
 * @param schema an object schema; each property is a variable, its `description` goes into messages
 * @throws ConfigError naming every bad or missing variable at once
 */
export function readConfig<T extends TProperties>(
  schema: TObject<T>,
  env: Readonly<Record<string, string | undefined>>,
): Static<TObject<T>> {
  const settings: Record<string, unknown> = {}
  const problems: string[] = []
  const required = new Set(requiredOf(schema))
  for (const [name, property] of Object.entries<TSchema>(schema.properties)) {
    let text: string
    try {
      text = readText(name, property, env)
    } catch (error) {
      problems.push((error as Error).message)
      continue
    }
    if (text === '') {
      const fallback = (property as { default?: unknown }).default
      if (fallback !== undefined) settings[name] = fallback
      else if (required.has(name)) problems.push(`${name} is not set${cure(property)}`)
      continue
    }
    const value = coerce(property, text)
    const wrong = schemaProblem(property, value)
    // The value itself stays out of the message: it may be a password.
    if (wrong) problems.push(`${name} ${inWords(wrong.problem)}${cure(property)}`)
    else settings[name] = value
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return settings as Static<TObject<T>>
}

/** The description says what form a setting has; nobody reads that from a regular expression. */
const inWords = (problem: string): string =>
  problem.startsWith('must match pattern') ? 'has a wrong form' : problem

/** A boolean setting: 1/true/yes/on or 0/false/no/off. */
export const Flag = (fallback: boolean, description: string) =>
  Type.Boolean({ default: fallback, description })

/** A setting that must never be logged; `createLogger` and summaries leave its value out. */
export const Secret = (description: string) => Type.String({ description, secret: true, minLength: 1 })

/** A server's address with credentials inside: shown without its password. */
export const ServerUrl = (protocols: string, description: string) =>
  Type.String({ description, pattern: `^(${protocols})://.+`, serverUrl: true })

/**
 * The settings as they may be logged: secrets as `[set]`, passwords in URLs as `***`.
 */
export function describeConfig(schema: TObject, settings: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(
    Object.entries(schema.properties).map(([name, property]) => {
      const value = settings[name]
      const traits = property as { secret?: boolean; serverUrl?: boolean }
      if (value === undefined) return [name, null]
      if (traits.secret) return [name, '[set]']
      if (traits.serverUrl) return [name, withoutPassword(value as string)]
      return [name, value]
    }),
  )
}

/** `scheme://user:password@host` with the password hidden, or a lone token; also when it is no valid URL. */
export const withoutPassword = (url: string): string =>
  url
    .replace(/(\/\/[^/?#]*?:)[^@/?#]*@/g, '$1***@')
    .replace(/(\/\/)[^/?#:@\s]+@/g, '$1***@')
    .replace(/([?&](?:password|token)=)[^&]*/gi, '$1***')

/** What every service reads. */
export const CommonConfig = {
  LOG_LEVEL: Type.Enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
    default: 'info',
    description: 'how much is logged',
  }),
  ENVIRONMENT: Type.String({
    default: 'production',
    pattern: '^[a-z][a-z0-9-]{0,31}$',
    description: 'the name of this deployment, such as production or devnet',
  }),
  MANAGEMENT_HOST: Type.String({
    default: '127.0.0.1',
    description: 'where the management port listens; keep it off the public network',
  }),
  MANAGEMENT_PORT: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 65535,
    description: 'health, readiness and metrics; 0 takes a free port',
  }),
  STOP_DEADLINE_MS: Type.Integer({
    default: 10_000,
    minimum: 100,
    description: 'how long work in progress may take after a stop signal',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.Optional(
    ServerUrl(
      'https?',
      'where traces go, an OTLP/HTTP collector such as http://127.0.0.1:4318; off without one',
    ),
  ),
  OTEL_EXPORTER_OTLP_HEADERS: Type.Optional(
    Secret('headers for the collector, such as authorization=Basic%20…'),
  ),
  OTEL_TRACES_SAMPLER_ARG: Type.Number({
    default: 1,
    minimum: 0,
    maximum: 1,
    description:
      'the share of new traces that is kept; a trace that arrives with a message keeps its own mark',
  }),
}
