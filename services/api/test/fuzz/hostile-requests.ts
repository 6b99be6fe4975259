// Malformed, hostile and borderline requests, generated from the OpenAPI document.
import { METHODS } from 'node:http'
import fc from 'fast-check'

export interface HostileRequest {
  /** the operation of the request; null when it matches no operation */
  operation: { path: string; method: string } | null
  method: string
  /** path and query as sent */
  target: string
  headers: Record<string, string>
  body: string | undefined
}

interface Parameter {
  name: string
  in: string
  schema: { type?: string; format?: string }
}

export interface Document {
  paths: Record<string, Record<string, { parameters?: Parameter[]; responses: Record<string, unknown> }>>
  components: { schemas: Record<string, unknown> }
}

/** Stored values that are valid, so that requests pass the first checks. */
export interface KnownValues {
  'public-key': string[]
  signature: string[]
  'tracking-id': string[]
  'event-name': string[]
  cursor: string[]
}

const UNREADABLE = ['%', '%zz', '%ff', '%c3%28', '%ed%a0%80', '%00', '%2500', '%u0041', '+', '%2B']
const INJECTIONS = [
  "' or 1=1 --",
  '"; drop table events; --',
  '$1',
  '{{7*7}}',
  '../../etc/passwd',
  '<script>',
  '\\',
  '__proto__',
  'constructor',
  'toString',
  '[object Object]',
]
const NUMBERS = [
  '0',
  '1',
  '-1',
  '-0',
  '1.5',
  '1e3',
  '0x10',
  ' 1',
  '1 ',
  '١',
  'NaN',
  'Infinity',
  '1000',
  '1001',
  '9007199254740991',
  '9007199254740992',
  '18446744073709551616',
  '9'.repeat(400),
]
const TIMES = [
  '2026-01-31',
  '2026-01-31T00:00:00Z',
  '2026-02-30',
  '2026-13-01',
  '0000-01-01',
  '9999-12-31T23:59:59.999999999Z',
  '9999-12-31T23:59:59-14:00',
  '0000-01-01T00:00:00+14:00',
  '2026-01-01T00:00:00+02:00',
  '2026-01-01T00:00:00 02:00',
  '1795000000',
  '2026-01-01T24:00:00Z',
  '+275760-09-13T00:00:00Z',
  '-000001-01-01',
]

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom(...INJECTIONS, 'x'.repeat(5_000), '\0', 'a\0b', '😀'.repeat(16), '😀'.repeat(17)),
)
/** Lone surrogates have no UTF-8. */
const encode = (text: string) => encodeURIComponent(text.replace(/\p{Surrogate}/gu, '?'))
const encoded = (text: fc.Arbitrary<string>) =>
  fc.oneof(
    { arbitrary: text.map(encode), weight: 8 },
    { arbitrary: fc.constantFrom(...UNREADABLE), weight: 1 },
  )
/** Sent unchanged: bytes that every client library would encode. */
const bare = fc.stringMatching(/^[!-"$-.0->@-~\u0080-\u00ff]{0,30}$/)

function valueOf({ schema }: Parameter, known: KnownValues): fc.Arbitrary<string> {
  const good = known[schema.format as keyof KnownValues] as string[] | undefined
  const right =
    good && good.length > 0
      ? fc.constantFrom(...good)
      : schema.type === 'integer'
        ? fc.integer({ min: 1, max: 1000 }).map(String)
        : schema.type === 'boolean'
          ? fc.constantFrom('true', 'false')
          : fc.constantFrom(...TIMES)
  return fc.oneof(
    { arbitrary: right.map(encode), weight: 6 },
    { arbitrary: encoded(fc.oneof(anyText, fc.constantFrom(...NUMBERS, ...TIMES, ''))), weight: 3 },
    { arbitrary: bare, weight: 1 },
  )
}

function queryFor(parameters: Parameter[], known: KnownValues): fc.Arbitrary<string> {
  const names = parameters.filter(parameter => parameter.in === 'query')
  const ofSchema = names.map(parameter =>
    valueOf(parameter, known).map(value => `${parameter.name}=${value}`),
  )
  const odd = fc.oneof(
    bare,
    fc.tuple(encoded(anyText), encoded(anyText)).map(([name, value]) => `${name}=${value}`),
    fc.constantFrom(
      '',
      '=',
      '&&',
      'limit',
      'limit=',
      'limit[]=1',
      'limit=1;offset=2',
      'a=1'.repeat(300),
      '__proto__=1',
      'constructor=1',
      'Limit=1',
    ),
  )
  const part =
    ofSchema.length === 0
      ? odd
      : fc.oneof({ arbitrary: fc.oneof(...ofSchema), weight: 8 }, { arbitrary: odd, weight: 1 })
  return fc.array(part, { maxLength: 5 }).map(parts => (parts.length === 0 ? '' : `?${parts.join('&')}`))
}

const HEADERS = {
  accept: ['*/*', 'text/html', 'application/json;q=0', 'x'],
  'accept-encoding': ['gzip', 'br', 'identity', '*', 'gzip;q=0, br;q=0, identity;q=0', 'deflate', 'x'],
  'accept-version': ['1.x', '*', 'x'],
  authorization: ['Bearer a.b.c', 'Bearer ', 'Basic eDp5', 'Bearer ' + 'a'.repeat(3_000), 'x'],
  'content-encoding': ['gzip', 'identity', 'br', 'x'],
  'content-type': [
    'application/json',
    'application/json; charset=utf-16',
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    ';',
    'x',
    'application/json;=',
  ],
  cookie: ['a=b', '='.repeat(100)],
  expect: ['200-maybe'],
  forwarded: ['for=unknown'],
  host: ['[bad', 'x:99999', 'a b', '', 'localhost', 'example.com:80:80', '127.0.0.1/../'],
  'if-none-match': ['*', 'W/"x"', '"', 'x'],
  'if-modified-since': ['yesterday'],
  origin: ['null', 'https://x.example', 'x'],
  'access-control-request-method': ['GET', 'x'],
  'access-control-request-headers': ['x', ','.repeat(50)],
  range: ['bytes=0-1', 'bytes=9-1', 'x'],
  te: ['trailers'],
  'x-forwarded-for': ['1.2.3.4', 'unknown', '::', ','.repeat(20), '1.2.3.4, 5.6.7.8'],
  'x-http-method-override': ['DELETE'],
  'x-request-id': ['abc', 'a b', '\u00ff', 'x'.repeat(100)],
} as const

const headers: fc.Arbitrary<Record<string, string>> = fc
  .array(
    fc.oneof(
      {
        arbitrary: fc.oneof(
          ...Object.entries(HEADERS).map(([name, values]) =>
            fc.constantFrom<string>(...values).map(value => [name, value] as const),
          ),
        ),
        weight: 6,
      },
      {
        arbitrary: fc.tuple(
          fc.constantFrom(...Object.keys(HEADERS)),
          fc.stringMatching(/^[ -~\u0080-\u00ff]{0,30}$/),
        ),
        weight: 2,
      },
      {
        arbitrary: fc.tuple(
          fc.stringMatching(/^x-[a-z-]{1,20}$/),
          fc.stringMatching(/^[ -~\u0080-\u00ff]{0,30}$/),
        ),
        weight: 1,
      },
    ),
    { maxLength: 4 },
  )
  .map(entries => Object.fromEntries(entries))

const body = fc.oneof(
  fc.constant(undefined),
  fc.jsonValue().map(value => JSON.stringify(value)),
  fc
    .record(
      { gateway_pubkey: fc.jsonValue(), endpoint_url: fc.jsonValue(), active: fc.jsonValue() },
      { requiredKeys: [] },
    )
    .map(value => JSON.stringify(value)),
  fc
    .record(
      { signer: fc.jsonValue(), signature: fc.jsonValue(), nonce: fc.jsonValue() },
      { requiredKeys: [] },
    )
    .map(value => JSON.stringify(value)),
  fc.constantFrom(
    '',
    '{',
    'null',
    '[]',
    '{"__proto__":{"x":1}}',
    '{"a":1e999}',
    '"\\ud800"',
    '['.repeat(5_000),
    '\0',
    'x'.repeat(70_000),
    '{"active":true}',
  ),
  fc.string({ unit: 'binary', maxLength: 100 }),
)

/** The answer to CONNECT is no answer of HTTP. */
const SENT = METHODS.filter(method => method !== 'CONNECT')

/** @param known values of each format for which the service has data */
export function hostileRequests(document: Document, known: KnownValues): fc.Arbitrary<HostileRequest> {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [] }]) => {
      const pathParameters = parameters.filter(parameter => parameter.in === 'path')
      const filled = fc
        .tuple(...pathParameters.map(parameter => valueOf(parameter, known)))
        .map(values =>
          pathParameters.reduce(
            (target, { name }, at) => target.replace(`{${name}}`, () => values[at]!),
            path,
          ),
        )
      const usual = method.toUpperCase()
      return fc
        .record({
          method: fc.oneof(
            { arbitrary: fc.constant(usual), weight: 9 },
            { arbitrary: fc.constantFrom(...SENT), weight: 1 },
          ),
          target: fc
            .tuple(filled, queryFor(parameters, known))
            .map(([filledPath, query]) => filledPath + query),
          headers,
          body,
        })
        .map(request => ({ ...request, operation: request.method === usual ? { path, method } : null }))
    }),
  )
  const nowhere = fc.record({
    method: fc.constantFrom(...SENT),
    target: fc.oneof(bare, encoded(anyText)).map(path => `/${path}`),
    headers,
    body,
    operation: fc.constant(null),
  })
  return fc.oneof({ arbitrary: fc.oneof(...operations), weight: 12 }, { arbitrary: nowhere, weight: 1 })
}
