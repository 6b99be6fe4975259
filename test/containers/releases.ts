// Two later releases: one that adds a table, and one whose migration fails.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { IMAGES, imageName } from './images.js'
import { inHome, run } from './machine.js'

const MIGRATIONS = {
  good: 'create table added_by_the_next_release (id integer primary key);',
  failing: 'create table half_of_it (id integer primary key);\nselect 1 / 0;',
}
export type NextRelease = keyof typeof MIGRATIONS

/** Makes the images of a release: those that were built, but with one migration more. */
export async function makeRelease(kind: NextRelease): Promise<void> {
  const context = inHome(`release-${kind}`)
  const folder = join(context, `29990101000000_${kind}`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'migration.sql'), MIGRATIONS[kind])
  for (const image of IMAGES) {
    if (image === 'migrate') {
      writeFileSync(`${context}.dockerfile`, `FROM ${imageName(image)}\nCOPY . prisma/migrations/\n`)
      const options = ['--isolation', 'chroot', '--pull-never', '--format', 'docker']
      const names = ['--file', `${context}.dockerfile`, '--tag', imageName(image, kind)]
      await run('buildah', ['build', ...options, ...names, context])
    } else await run('podman', ['tag', imageName(image), imageName(image, kind)])
  }
  rmSync(context, { recursive: true })
}
