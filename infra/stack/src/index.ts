export {
  buildChain,
  type Chain,
  type ChainGateway,
  type ChainMessage,
  type ChainPolicy,
  type ChainUserPayment,
  type PolicyTerms,
} from './chain/build-chain.js'
export { buildAddress, buildSignature, toFixedBytes, type KeyPair } from './chain/keys.js'
export { openPublisher, type Publisher } from './commands/open-publisher.js'
export { settingsTable } from './commands/settings-table.js'
export { discardDataDir, isDataDirInUse } from './data-dir.js'
export {
  findServerProgram,
  openServers,
  type OpenServersOptions,
  type ServerName,
  type Servers,
  type ServerUrls,
} from './open-servers.js'
export { findPostgresAccount, type Account } from './servers/account.js'
export { findPostgres } from './servers/find-postgres.js'
export { findPromtool } from './servers/find-program.js'
export type { RunningServer } from './servers/open-server.js'
export { birthOf, identify, isAlive, type ProcessIdentity } from './servers/processes.js'
export { findFreePort, findQuietPort } from './servers/ports.js'
export { readServiceSchema } from './launcher/config.js'
export { FOLLOW_PARENT } from './launcher/followers.js'
export { buildJwtKeys } from './launcher/secrets.js'
export { superviseService } from './launcher/supervise.js'
export { openEdge } from './launcher/edge.js'
export { SERVICES } from './launcher/service-specs.js'
export { readStackFile, type StackFile } from './launcher/stack-file.js'
