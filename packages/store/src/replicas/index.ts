export { findReplicaFaults, type ReplicaFault } from '../database/check-replicas.js'
export { openDatabases, type Databases } from './open-databases.js'
export { openReads, type Reading, type Reads } from './open-reads.js'
