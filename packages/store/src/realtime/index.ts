export { findStaleTrackings, type KnownHead, type StaleTrackings } from './find-stale-trackings.js'
export { readPaymentsBySeq, type SeqRange } from './read-payments-by-seq.js'
export { readTrackingHeads, type TrackingHeads } from './read-tracking-heads.js'
export { rememberLeaseUse } from './remember-lease-use.js'
