export { cancelExpectation, ExpectationCountingError, ExpectationPaidError } from './cancel-expectation.js'
export {
  createExpectation,
  ExpectationExistsError,
  OPEN_EXPECTATIONS,
  type CreatedExpectation,
  type NewExpectation,
} from './create-expectation.js'
export { expireExpectations } from './expire-expectations.js'
export {
  listExpectations,
  readExpectation,
  readExpectationsById,
  type ExpectationFilter,
} from './list-expectations.js'
export type { ReadExpectation } from './expectation-rows.js'
export { type ExpectedNews } from './settle.js'
export { toCommittedExpectation } from './expectation-rows.js'
