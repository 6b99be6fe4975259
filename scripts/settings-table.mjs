// `node scripts/settings-table.mjs [--write]`: compares the README's table of settings with the schemas.
import { runCommand } from './run-command.mjs'

await runCommand('settingsTable')
