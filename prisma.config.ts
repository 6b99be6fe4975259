import { fileURLToPath } from 'node:url'
import { defineConfig } from 'prisma-cli/config'

// Without it, each command asks Prisma's host for an engine.
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= fileURLToPath(
  new URL('packages/store/test/schema-engine.mjs', import.meta.url),
)

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env.DATABASE_URL ?? '' },
})
