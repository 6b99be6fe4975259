// The oracle: what the service must say after a set of messages. It is computed at once from all valid events, by the
// rules of packages/domain for one policy, sum or memo, and by the contract for which events count: there is no order of arrival,
// no repetition and no step from one state to the next in here.
export {
  expectationOf,
  findNoticeProblems,
  noticesOf,
  type ExpectedMoment,
  type ModelSum,
  type Notice,
  type Over,
} from './expectations.js'
export { label, labelOf, NO_POLICY } from './labels.js'
export { buildModel, type Model, type ModelPayment } from './model.js'
export { createdBefore, isCreated, isDeleted, isStatus, trackingIdOf } from './policy.js'
export {
  keyOfRow,
  line,
  PROJECTIONS,
  projectionsIn,
  projectionsOf,
  type Projection,
  type Row,
} from './projections.js'
export { push } from './push.js'
export { Enum, isEvent, text, type Fields, type Said, type SaidEvent, type Value } from './said.js'
export { compare, isPayment, keyOf, type ResolvedEvent } from './resolved-events.js'
export { sumsOf } from './sums.js'
