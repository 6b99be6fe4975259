export { hidden } from './sql.js'
