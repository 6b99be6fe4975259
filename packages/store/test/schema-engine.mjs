#!/usr/bin/env node
// Prisma's schema engine without its native binary: the engine's stdio protocol (JSON-RPC, one message a line)
// over @prisma/schema-engine-wasm, the same engine at the same commit. For writing migrations where Prisma's
// download host is out of reach, and for the test that holds schema.prisma against the migrations:
//   PRISMA_SCHEMA_ENGINE_BINARY=packages/store/test/schema-engine.mjs DATABASE_URL=… npx prisma migrate dev
// One file, though long: Prisma starts it as its binary.
/* global WebAssembly */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'

const require = createRequire(join(process.cwd(), 'package.json'))
const { PrismaPg } = require('@prisma/adapter-pg')
const { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } = require('@prisma/driver-adapter-utils')
const pg = require('pg')

const { values: opt, positionals } = parseArgs({
  allowPositionals: true,
  strict: false,
  options: {
    datamodels: { type: 'string', multiple: true },
    datasource: { type: 'string' },
    version: { type: 'boolean' },
  },
})
const wasmDir = dirname(require.resolve('@prisma/schema-engine-wasm'))
const { url, shadowDatabaseUrl } = opt.datasource ? JSON.parse(opt.datasource) : {}

const schemaOf = from => new URL(from).searchParams.get('schema') ?? 'public'

// Discrete fields, never a connection string: pg lets a connection string win over `database`,
// and a shadow database opened that way would be the main one.
function poolConfig(from, database) {
  const u = new URL(from)
  const sslmode = u.searchParams.get('sslmode') ?? 'disable'
  return {
    host: u.searchParams.get('host') ?? decodeURIComponent(u.hostname),
    port: Number(u.port || 5432),
    user: decodeURIComponent(u.username) || undefined,
    password: decodeURIComponent(u.password) || undefined,
    database: database ?? decodeURIComponent(u.pathname.slice(1)),
    ssl: sslmode === 'disable' ? false : { rejectUnauthorized: sslmode.startsWith('verify') },
    options: `-c search_path="${schemaOf(from)}"`,
    max: 1, // one session: the advisory lock lives in it
  }
}

async function execute(sql, database) {
  const client = new pg.Client(poolConfig(url, database))
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

// "char", regproc, regclass, regtype -> text; name[] -> text[]
const CATALOGUE_TYPES = { 18: 25, 24: 25, 2205: 25, 2206: 25, 1003: 1009 }

const pools = new Set()
async function open(from, database, onDispose) {
  const pool = new pg.Pool(poolConfig(from, database))
  pools.add(pool)
  pool.on('error', () => {})
  const adapter = await new PrismaPg(pool, { schema: schemaOf(from) }).connect()
  // The adapter splits a script at every ';', inside functions and strings too; the simple
  // query protocol takes it whole.
  adapter.executeScript = script =>
    pool.query(script).then(
      () => {},
      e => adapter.onError(e),
    )
  // The adapter refuses the catalogue's own types, which the engine reads.
  const { performIO, queryRaw } = adapter
  adapter.queryRaw = async query => {
    const result = await performIO.call(adapter, query)
    const oids = result.fields.map(f => f.dataTypeID)
    for (const f of result.fields) f.dataTypeID = CATALOGUE_TYPES[f.dataTypeID] ?? f.dataTypeID
    const set = await queryRaw.call({ performIO: async () => result }, query)
    oids.forEach((oid, i) => {
      if (oid === 18) set.columnTypes[i] = ColumnTypeEnum.Character
    })
    return set
  }
  adapter.dispose = async () => {
    pools.delete(pool)
    await pool.end()
    await onDispose?.()
  }
  return adapter
}

const cleanups = new Set()
const factory = bindMigrationAwareSqlAdapterFactory({
  provider: 'postgres',
  adapterName: '@prisma/adapter-pg',
  async connect() {
    if (!url) throw new Error('the wasm schema engine needs a database: set DATABASE_URL')
    return open(url)
  },
  async connectToShadowDb() {
    if (shadowDatabaseUrl) {
      const [main, shadow] = [poolConfig(url), poolConfig(shadowDatabaseUrl)]
      if (['host', 'port', 'database'].every(k => main[k] === shadow[k]))
        throw new Error('the shadow database is the main one')
      const adapter = await open(shadowDatabaseUrl)
      const schema = schemaOf(shadowDatabaseUrl)
      await adapter.executeScript(`DROP SCHEMA IF EXISTS "${schema}" CASCADE; CREATE SCHEMA "${schema}"`)
      return adapter
    }
    const name = `prisma_migrate_shadow_db_${randomUUID()}`
    await execute(`CREATE DATABASE "${name}"`)
    const drop = async () => {
      cleanups.delete(drop)
      await execute(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`)
    }
    cleanups.add(drop)
    return open(url, name, drop)
  },
})

let panic
globalThis.PRISMA_WASM_PANIC_REGISTRY = {
  set_message: m => {
    panic = m
  },
}

let bindings
async function createEngine() {
  if (!bindings) {
    bindings = await import(pathToFileURL(join(wasmDir, 'schema_engine_bg.js')))
    const wasm = readFileSync(join(wasmDir, 'schema_engine_bg.wasm'))
    const { instance } = await WebAssembly.instantiate(wasm, { './schema_engine_bg.js': bindings })
    bindings.__wbg_set_wasm(instance.exports)
    instance.exports.__wbindgen_start()
  }
  const datamodels = opt.datamodels?.map(f => [f, readFileSync(f, 'utf8')])
  return bindings.SchemaEngine.new({ datamodels }, () => {}, factory)
}

const CONNECT_ERRORS = {
  '28P01': 'P1000',
  ECONNREFUSED: 'P1001',
  ENOTFOUND: 'P1001',
  ETIMEDOUT: 'P1002',
  '3D000': 'P1003',
  '42P04': 'P1009',
}
const COMMANDS = {
  'can-connect-to-database': db => execute('SELECT 1', db),
  'create-database': db => execute(`CREATE DATABASE "${db}"`, 'postgres'),
  'drop-database': db => execute(`DROP DATABASE "${db}"`, 'postgres'),
}

async function cli(command) {
  try {
    await COMMANDS[command](poolConfig(url).database)
  } catch (e) {
    const fields = { is_panic: false, error_code: CONNECT_ERRORS[e.code] ?? 'P1010', message: e.message }
    process.stderr.write('\n' + JSON.stringify({ level: 'ERROR', target: 'schema_engine::logger', fields }))
    process.exitCode = 1
  }
}

function serve() {
  const send = m => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...m }) + '\n')
  const fail = (id, e) => {
    const external = /External error id#(\d+)/.exec(e?.message)
    const cause = external && factory.errorRegistry.consumeError(Number(external[1]))?.error
    const message = panic ?? cause?.message ?? e?.message ?? String(e)
    const data = {
      is_panic: panic !== undefined,
      error: { message },
      message,
      error_code: e?.code,
      meta: e?.meta ?? null,
    }
    send({ id, error: { code: 4466, message, data } })
  }
  let current
  let queue = Promise.resolve()
  const handle = async ({ id, method, params }) => {
    if (!method) return // the CLI's answer to a print
    current = id
    try {
      // One engine a call: after applyMigrations it has lost its shadow database factory.
      const engine = await createEngine()
      if (method === 'evaluateDataLoss' || method === 'createMigration') await engine.devDiagnostic(params)
      const result = await engine[method === 'getDatabaseVersion' ? 'version' : method](params)
      if (method === 'diff' && result.stdout)
        send({ id: `print-${id}`, method: 'print', params: { content: result.stdout } })
      send({ id, result: result ?? {} })
    } catch (e) {
      fail(id, e)
    } finally {
      // Ends the sessions, and with them the advisory lock.
      for (const pool of pools) if (pools.delete(pool)) await pool.end()
    }
  }
  // A panic surfaces outside the call that caused it.
  process.on('uncaughtException', async e => {
    for (const drop of cleanups) await drop().catch(() => {})
    fail(current, e)
    process.exit(101)
  })
  createInterface({ input: process.stdin, crlfDelay: Infinity })
    .on('line', line => {
      queue = queue.then(() => handle(JSON.parse(line)))
    })
    .on('close', () => queue.then(() => process.exit(0)))
}

if (opt.version) {
  const { version } = JSON.parse(readFileSync(join(wasmDir, 'package.json'), 'utf8'))
  console.log(`schema-engine-wasm ${version.split('.').pop()}`)
} else if (positionals[0] === 'cli') {
  await cli(positionals[1])
} else {
  serve()
}
