// `node scripts/settings-table.mjs [--write]`: holds the README's table of settings against the schemas.
import { runCommand } from './run-command.mjs'

await runCommand('settingsTable')
