// The packages that a release publishes, as tarballs.
import { readRoot, run } from './repository.mjs'

/** Folders of the packages that others install. */
export const PUBLISHED = ['packages/client', 'infra/dev-kit']

/** @returns the names of the tarballs in `folder` */
export const packPackages = folder =>
  PUBLISHED.map(path => {
    if (JSON.parse(readRoot(`${path}/package.json`)).private)
      throw new Error(`${path}/package.json is private, so nobody could publish it`)
    const packed = run('npm', ['pack', `./${path}`, '--json', '--pack-destination', folder])
    // A script of the package may print lines before.
    return JSON.parse(packed.slice(packed.lastIndexOf('\n[') + 1))[0].filename
  })
