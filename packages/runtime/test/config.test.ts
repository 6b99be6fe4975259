import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Type } from 'typebox'
import {
  ConfigError,
  describeConfig,
  Flag,
  OriginList,
  readConfig,
  readOrigin,
  RetryConfig,
  Secret,
  ServerUrl,
  withoutPassword,
} from '../src/index.js'

const schema = Type.Object({
  DATABASE_URL: ServerUrl('postgresql', 'Postgres'),
  PORT: Type.Integer({ default: 3002, minimum: 1, maximum: 65535, description: 'where it listens' }),
  STRICT: Flag(false, 'refuse more'),
  TOKEN: Type.Optional(Secret('a token')),
})

t.test('variables become typed settings, empty ones count as not set', async t => {
  t.strictSame(
    readConfig(schema, { DATABASE_URL: 'postgresql://h/db', PORT: ' 8080 ', STRICT: 'on', TOKEN: '' }),
    {
      DATABASE_URL: 'postgresql://h/db',
      PORT: 8080,
      STRICT: true,
    },
  )
})

t.test('all that is wrong is told at once, with the cure and without the values', async t => {
  try {
    readConfig(schema, { PORT: '70000', STRICT: 'hunter2' })
    t.fail('nothing was thrown')
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    t.equal(error.code, 'CONFIG_INVALID')
    t.equal(error.problems.length, 3)
    t.match(error.message, /DATABASE_URL is not set \(Postgres\)/)
    t.match(error.message, /PORT must be from 1 to 65535 \(where it listens\)/)
    t.match(error.message, /STRICT must be true or false/)
    t.notMatch(error.message, /hunter2/)
  }
})

t.test('the delays of retries grow', async t => {
  const read = (factor?: string) =>
    readConfig(Type.Object(RetryConfig), { WEBHOOK_BACKOFF_FACTOR: factor }).WEBHOOK_BACKOFF_FACTOR
  t.strictSame([read(), read('1.5'), read('12')], [2, 1.5, 12])
  t.throws(() => read('1.4'), /WEBHOOK_BACKOFF_FACTOR must be from 1.5 to 100/)
})

t.test('an origin with its default port, a slash or capitals is the same origin', async t => {
  for (const [text, origin] of Object.entries({
    'https://shop.example': 'https://shop.example',
    'https://shop.example:443': 'https://shop.example',
    'https://shop.example/': 'https://shop.example',
    'HTTPS://Shop.Example:443/': 'https://shop.example',
    'http://shop.example:80': 'http://shop.example',
    'http://shop.example:443': 'http://shop.example:443',
    'https://shop.example:8443/': 'https://shop.example:8443',
    'https://bücher.example': 'https://xn--bcher-kva.example',
    'https://[2001:DB8::0:1]': 'https://[2001:db8::1]',
    'https://shop.example/pay': null,
    'https://shop.example?a': null,
    'https://user@shop.example': null,
    'https:shop.example': null,
    'wss://shop.example': null,
    'shop.example': null,
    null: null,
    '': null,
  }))
    t.equal(readOrigin(text), origin, text)
})

t.test('a list of origins names the entry that is none', async t => {
  const schema = Type.Object({
    SITES: Type.Optional(OriginList('sites')),
    READERS: OriginList('readers', { default: '*', anyOrigin: '*' }),
  })
  const sites = 'https://shop.example:443/ ,HTTP://127.0.0.1:3002'
  t.strictSame(readConfig(schema, { SITES: sites }), { SITES: sites, READERS: '*' })
  const refusalOf = (env: Record<string, string>): readonly string[] => {
    try {
      readConfig(schema, env)
    } catch (error) {
      if (error instanceof ConfigError) return error.problems
    }
    return []
  }
  t.strictSame(refusalOf({ SITES: 'https://a.example,https://b.example/pay', READERS: '*,*' }), [
    'SITES holds an entry that is no origin, number 2 (sites)',
    'READERS holds an entry that is no origin, number 1 (readers)',
  ])
  t.match(refusalOf({ SITES: 'https://a.example,' }), [/number 2/])
  t.match(refusalOf({ SITES: '*' }), [/number 1/], 'any is no site')
})

t.test('what is logged of the settings holds no secret', async t => {
  const settings = readConfig(schema, { DATABASE_URL: 'postgresql://u:hunter2@h/db', TOKEN: 'hunter2' })
  const text = JSON.stringify(describeConfig(schema, settings))
  t.notMatch(text, /hunter2/)
  t.match(text, /postgresql:\/\/u:\*\*\*@h\/db/)
  t.match(text, /"TOKEN":"\[set\]"/)
})

t.test('a password is hidden in whatever text a URL stands in', async t => {
  t.equal(withoutPassword('cannot reach redis://:p%40ss@h:1/0 now'), 'cannot reach redis://:***@h:1/0 now')
  t.equal(withoutPassword('nats://u:p@a:1,nats://u:p@b:2'), 'nats://u:***@a:1,nats://u:***@b:2')
  t.equal(withoutPassword('postgresql://h/db?user=u&password=p'), 'postgresql://h/db?user=u&password=***')
  t.equal(withoutPassword('nats://lone-token@h:4222'), 'nats://***@h:4222')
  t.equal(withoutPassword('no URL: at all'), 'no URL: at all')
})

t.test('secrets and addresses of servers may come from files', async t => {
  const file = join(t.testdir({ url: 'postgresql://u:hunter2@h/db\n', empty: ' \n' }), 'url')
  t.match(readConfig(schema, { DATABASE_URL_FILE: file }), { DATABASE_URL: 'postgresql://u:hunter2@h/db' })
  const problemsOf = (env: Record<string, string>) => {
    try {
      readConfig(schema, env)
      return []
    } catch (error) {
      return (error as ConfigError).problems
    }
  }
  t.match(problemsOf({ DATABASE_URL_FILE: file, DATABASE_URL: 'postgresql://h/db' }), [/both set/])
  t.match(problemsOf({ DATABASE_URL_FILE: `${file}-missing` }), [/DATABASE_URL_FILE .* no such file/])
  t.match(problemsOf({ DATABASE_URL_FILE: file.replace('url', 'empty') }), [/it is empty/])
  writeFileSync(file, 'http://hunter2')
  const [problem] = problemsOf({ DATABASE_URL_FILE: file })
  t.match(problem, /^DATABASE_URL has a wrong form \(/)
  t.notMatch(problem, /hunter2/)
})
