// Writes the table of docs/security.md.
import { readFileSync, writeFileSync } from 'node:fs'
import { readOperations } from './description.js'
import { DOCUMENT, withTable } from './table.js'

writeFileSync(DOCUMENT, withTable(readFileSync(DOCUMENT, 'utf8'), readOperations()))
