// A copy of what was built, to be broken: our packages and services as they are, everybody else's by link.
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Patch } from './breaks.js'

const OURS = '@payment-tracking'

/** Copies the built packages and services of `root` to `copy`, which must not exist. */
export async function copySystem(root: string, copy: string): Promise<void> {
  const modules = join(copy, 'node_modules')
  await mkdir(join(modules, OURS), { recursive: true })
  for (const name of await readdir(join(root, 'node_modules'))) {
    if (name !== OURS) await symlink(join(root, 'node_modules', name), join(modules, name))
  }
  for (const room of ['packages', 'services']) {
    for (const name of await readdir(join(root, room))) {
      const from = join(root, room, name)
      const to = join(copy, room, name)
      await mkdir(to, { recursive: true })
      for (const part of ['package.json', 'dist', 'assets', 'public']) {
        if (existsSync(join(from, part))) await cp(join(from, part), join(to, part), { recursive: true })
      }
      // Versions of its own that npm could not put at the top.
      if (existsSync(join(from, 'node_modules')))
        await symlink(join(from, 'node_modules'), join(to, 'node_modules'))
      await symlink(to, join(modules, OURS, name))
      // A bundle holds everything a second time; the copy runs the files that are changed.
      const bundle = join(to, 'dist/service.js')
      if (room === 'services' && existsSync(bundle)) await writeFile(bundle, "import './main.js'\n")
    }
  }
}

/** @throws Error when the text to be replaced is not there exactly once */
export function applyPatch(text: string, { file, find, replace }: Patch): string {
  const parts = text.split(find)
  if (parts.length !== 2) throw new Error(`${file} has ${JSON.stringify(find)} ${parts.length - 1} times`)
  return parts.join(replace)
}

/** Changes files of a copy. */
export async function applyPatches(copy: string, patches: readonly Patch[]): Promise<void> {
  for (const patch of patches) {
    const path = join(copy, patch.file)
    await writeFile(path, applyPatch(await readFile(path, 'utf8'), patch))
  }
}
