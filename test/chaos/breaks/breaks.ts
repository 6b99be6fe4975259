// Reads breaks.diff. A text that is not found is an error: the product has changed, and the break must follow.
import { readFileSync } from 'node:fs'
import type { FaultStep } from '../plan/fault-plan.js'

export interface Patch {
  /** below the root of the copy */
  file: string
  find: string
  replace: string
}

export interface Break {
  name: string
  patches: Patch[]
  faults: FaultStep[]
  /** One of the differences must look like this. */
  caughtAs: RegExp
}

/** The lines that begin with a mark, without it. */
const linesOf = (text: string, mark: string): string[] =>
  text
    .split('\n')
    .filter(line => line.startsWith(mark))
    .map(line => line.slice(mark.length))

function readFault(text: string): FaultStep {
  const [atMs, kind, target, ...more] = text.split(' ')
  const fault: Record<string, unknown> = { kind, target, atMs: Number(atMs) }
  for (let at = 0; at < more.length; at += 2)
    fault[more[at]!] = more[at]!.endsWith('Ms') ? Number(more[at + 1]) : more[at + 1]
  return fault as unknown as FaultStep
}

function readPatch(text: string): Patch {
  const end = text.indexOf('\n')
  const [file, changes] = [text.slice(0, end), text.slice(end + 1)]
  return { file, find: linesOf(changes, '-').join('\n'), replace: linesOf(changes, '+').join('\n') }
}

function readBreak(text: string): Break {
  const [head, ...patches] = text.split('\n--- ')
  const [caughtAs] = linesOf(head!, '/')
  return {
    name: head!.split('\n')[0]!,
    patches: patches.map(readPatch),
    faults: linesOf(head!, '! ').map(readFault),
    caughtAs: new RegExp(caughtAs!.slice(0, -1)),
  }
}

const [, ...texts] = readFileSync(new URL('breaks.diff', import.meta.url), 'utf8').split(/^@@ /m)
export const BREAKS: readonly Break[] = texts.map(readBreak)
