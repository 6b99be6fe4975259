// Generates the Prisma client without a download: `generate` never starts the schema engine, but Prisma
// fetches one unless this variable names an existing file. Only here; migrations never see it.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const run = spawnSync(process.execPath, ['node_modules/prisma/build/index.js', 'generate'], {
  cwd: root,
  env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, PRISMA_HIDE_UPDATE_MESSAGE: '1' },
  stdio: ['ignore', 'inherit', 'inherit'],
})
process.exit(run.status ?? 1)
