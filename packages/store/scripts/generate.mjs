// Generates the Prisma client without a download. `generate` never starts the schema engine, but Prisma downloads the
// engine unless this variable names an existing file. Migrations do not see the variable.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const run = spawnSync(process.execPath, ['node_modules/prisma/build/index.js', 'generate'], {
  cwd: root,
  env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, PRISMA_HIDE_UPDATE_MESSAGE: '1' },
  stdio: ['ignore', 'inherit', 'inherit'],
})
process.exit(run.status ?? 1)
