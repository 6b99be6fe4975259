// `npm run operate -- archive list | restore MONTH | verify`: the archive of EVENTS_ARCHIVE and DATABASE_URL. May run beside ingest; a
// restore that was killed is finished by the next one, or by ingest. The exit code is 1 after a failure, 2 for wrong arguments.
import { CommonConfig, createLogger, DatabaseConfig, readConfig } from '@payment-tracking/runtime'
import { openStore } from '@payment-tracking/store/core'
import { Type } from 'typebox'
import { readArchiveAction, runArchive } from './archive/archive-command.js'
import { ArchiveUnusableError } from './archive/archive-files.js'
import { EVENTS_ARCHIVE, openArchiveFiles } from './archive/open-archive-files.js'
import { IngestConfig } from './config.js'

const ArchiveConfig = Type.Object({
  LOG_LEVEL: CommonConfig.LOG_LEVEL,
  ENVIRONMENT: CommonConfig.ENVIRONMENT,
  ...DatabaseConfig,
  EVENTS_RETENTION_MONTHS: IngestConfig.properties.EVENTS_RETENTION_MONTHS,
  EVENTS_ARCHIVE,
})

const action = readArchiveAction()
try {
  const config = readConfig(ArchiveConfig, process.env)
  if (config.EVENTS_ARCHIVE === undefined)
    throw new ArchiveUnusableError('EVENTS_ARCHIVE is not set: name the archive that ingest writes to')
  const files = await openArchiveFiles(config.EVENTS_ARCHIVE)
  const store = openStore({ ...config, applicationName: 'archive', poolSize: 2 })
  try {
    const log = createLogger('archive', config)
    const isWell = await runArchive(action, {
      store,
      files,
      log,
      say: line => console.log(line),
      months: config.EVENTS_RETENTION_MONTHS,
    })
    if (!isWell) process.exitCode = 1
  } finally {
    await store.close()
  }
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
