export { discardDataDir, isDataDirInUse } from './data-dir.js'
export { DataDirBusyError, ServerFailedError, ServerMissingError } from './errors.js'
export {
  openServers,
  type OpenServersOptions,
  type ServerName,
  type Servers,
  type ServerUrls,
} from './open-servers.js'
export type { RunningServer } from './servers/open-server.js'
export { findFreePort, isPortFree } from './servers/ports.js'
