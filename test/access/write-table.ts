// Writes the tables of docs/security.md.
import { readFileSync, writeFileSync } from 'node:fs'
import { readOperations } from './description.js'
import { DOCUMENT, withTables } from './table.js'

writeFileSync(DOCUMENT, withTables(readFileSync(DOCUMENT, 'utf8'), readOperations()))
