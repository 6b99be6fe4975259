export { PRUNED_TABLES, pruneStep, type PrunedTable, type Retention } from './prune.js'
