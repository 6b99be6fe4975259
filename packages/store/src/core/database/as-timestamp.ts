export { asTimestamp } from './sql.js'
