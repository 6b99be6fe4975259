import { readFileSync } from 'node:fs'

export const PROGRAM_ID = 'TRibg8W8zmPHQqWtyAD1rEBRXEdyU13Mu6qX1Sg42tJ'
export const SETTINGS = { programId: PROGRAM_ID, requireProgramId: false }

/** The messages of the first set of fixtures. */
export const lines = readFileSync(new URL('../../../test/fixtures/messages.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .slice(0, -1)
