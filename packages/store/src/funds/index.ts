export { findDueRisks } from './due-risks.js'
export { listDueAccounts } from './list-due-accounts.js'
export { tellRisks, type RiskPage, type RiskRound } from './tell-risks.js'
