// Names places in sources instead of places in bundles. Node would do it itself (`--enable-source-maps`), but reads the maps of all
// that it loads, 2 MB for a test file, and few files fail.
import { existsSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, relative, resolve } from 'node:path'

/** `FILE.js:1:2`, and the lines in which tap says the same. */
const POSITION = /(?:file:\/\/)?(\/?[^\s():]+\.js)(:|\n *lineNumber: )(\d+)(:|\n *columnNumber: )(\d+)/g

/** By path of the bundle, as they are asked for. */
const maps = new Map()

const readMap = bundle => {
  const map = existsSync(`${bundle}.map`) && JSON.parse(readFileSync(`${bundle}.map`, 'utf8'))
  return map && new SourceMap(map)
}

/** @returns the text with the position in the source for each position in a bundle */
export function mapPositions(text) {
  return text.replaceAll(POSITION, (position, bundle, toLine, line, toColumn, column) => {
    if (!maps.has(bundle)) maps.set(bundle, readMap(bundle))
    const entry = maps.get(bundle) && maps.get(bundle).findEntry(line - 1, column - 1)
    if (!entry?.originalSource) return position
    const source = relative('', resolve(dirname(bundle), entry.originalSource))
    return `${source}${toLine}${entry.originalLine + 1}${toColumn}${entry.originalColumn + 1}`
  })
}
