export { findDueRisks } from './due-risks.js'
export { listDueAccounts } from './list-due-accounts.js'
