import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { ArchiveUnusableError, type ArchiveFiles } from './archive-files.js'

/** A file under a temporary name that is older than this was left by a process that died. */
const LEFT_AFTER_MS = 3_600_000
const TEMPORARY = '.tmp'

/** Files below a directory. */
export class DirectoryFiles implements ArchiveFiles {
  readonly #root: string

  constructor(directory: string) {
    this.#root = resolve(directory)
  }

  async check(): Promise<boolean> {
    const found = await stat(this.#root).catch(() => null)
    if (!found?.isDirectory())
      throw new ArchiveUnusableError(
        `EVENTS_ARCHIVE names ${this.#root}, which is no directory: make it, or mount it`,
      )
    const probe = join(this.#root, `.${randomUUID()}${TEMPORARY}`)
    try {
      await writeDurably(probe, Buffer.from('probe'))
      await rm(probe)
      return true
    } catch (cause) {
      throw new ArchiveUnusableError(
        `EVENTS_ARCHIVE names ${this.#root}, where nothing can be written (${(cause as Error).message}): give this user the right to write there`,
        { cause },
      )
    }
  }

  async write(name: string, bytes: Uint8Array): Promise<void> {
    const file = join(this.#root, name)
    const folder = dirname(file)
    await mkdir(folder, { recursive: true })
    await removeLeft(folder)
    const temporary = `${file}.${randomUUID()}${TEMPORARY}`
    try {
      await writeDurably(temporary, bytes)
      await rename(temporary, file)
    } catch (error) {
      await rm(temporary, { force: true })
      throw error
    }
    // The names too, up to the directory that was there before.
    for (let at = folder; !relative(this.#root, at).startsWith('..'); at = dirname(at)) await syncFolder(at)
  }

  async read(name: string): Promise<Buffer> {
    try {
      return await readFile(join(this.#root, name))
    } catch (cause) {
      throw new ArchiveUnusableError(
        `${name} cannot be read below EVENTS_ARCHIVE (${(cause as Error).message}): bring it back from a copy`,
        { cause },
      )
    }
  }
}

async function writeDurably(file: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(file, 'wx')
  try {
    await handle.writeFile(bytes)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function removeLeft(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.endsWith(TEMPORARY)) continue
    const file = join(folder, name)
    const found = await stat(file).catch(() => null)
    if (found !== null && Date.now() - found.mtimeMs > LEFT_AFTER_MS) await rm(file, { force: true })
  }
}
