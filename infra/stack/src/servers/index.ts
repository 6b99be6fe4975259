// The door of the private servers: what other folders may use of them.
export { findPostgresAccount, type Account } from './account.js'
export { discardDataDir, isDataDirInUse, keepSecret, makeDataDir } from './data-dir.js'
export { isBusUser, urlOfBusUser } from './nats.js'
export { findPostgres } from './find-postgres.js'
export { findPromtool } from './find-program.js'
export type { RunningServer } from './open-server.js'
export {
  findServerProgram,
  openServers,
  type OpenServersOptions,
  type ServerName,
  type Servers,
  type ServerUrls,
} from './open-servers.js'
export { findFreePort, findListenError, findQuietPort } from './ports.js'
export { birthOf, identify, isAlive, signalProcess, waitForDeath, type ProcessIdentity } from './processes.js'
