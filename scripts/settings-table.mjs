// `node scripts/settings-table.mjs [--write]`: compares the table in docs/settings.md with the schemas.
import { runCommand } from './run-command.mjs'

await runCommand('settingsTable')
