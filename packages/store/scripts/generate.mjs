// Generates the Prisma client as `prisma generate` does, with the same generator and without the CLI: the CLI brings 109
// packages more, which `npm start` would install for this alone. schema.test.ts compares the two.
import { rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

// These packages are CommonJS; their ES modules cannot be loaded.
const require = createRequire(import.meta.url)
const { PrismaClientTsGenerator } = require('@prisma/client-generator-ts')
const { enginesVersion } = require('@prisma/engines-version')
const { getGenerators } = require('@prisma/internals')

const [generator] = await getGenerators({
  schemaPath: fileURLToPath(new URL('../../../prisma/schema.prisma', import.meta.url)),
  registry: { 'prisma-client': { type: 'in-process', generator: new PrismaClientTsGenerator() } },
  version: enginesVersion.split('.').at(-1),
  skipDownload: true,
  cliCommand: 'generate',
})
// A model that was renamed would stay beside its new name.
rmSync(new URL('../src/generated', import.meta.url), { recursive: true, force: true })
await generator.generate()
generator.stop()
