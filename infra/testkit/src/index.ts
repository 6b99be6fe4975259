export { addEvent, addEvents } from './add-events.js'
export { buildBatch } from './build-batch.js'
export { analyzeAll, FILL_MESSAGES, filledEvents, fillEvents, type FilledEvents } from './fill-events.js'
export { fillDeliveries, fillPayments, fillWaiting, SENT, type FilledHistory } from './fill-history.js'
export {
  buildAddress,
  buildChain,
  openPublisher,
  type Chain,
  type ChainGateway,
  type ChainMessage,
  type ChainPolicy,
} from '@payment-tracking/stack'
export {
  countRows,
  createDatabase,
  ensureTemplate,
  openPool,
  queryOnce,
  withClient,
  type Client,
  type Pool,
  type QueryResultRow,
  type TestDatabase,
} from './create-database.js'
export { endsBeforeTimer } from './ends-first.js'
export { insertWebhook, type WebhookChoices } from './insert-webhook.js'
export { installDebianPackage } from './install-debian-package.js'
export { isQuick } from './judge-time.js'
export { makeCommittedPayment } from './make-committed-payment.js'
export { makeDeliveryRef } from './make-delivery-ref.js'
export { openPostgresPair, type PostgresPair } from './open-postgres-pair.js'
export { openTestStore } from './open-test-store.js'
export { openReceiver, type ReceivedRequest, type Receiver, type ReceiverAnswer } from './open-receiver.js'
export { listen, sayTo } from './listen.js'
export { openLink, type Link } from './open-link.js'
export { openProxy, type ProxyAnswer } from './open-proxy.js'
export { buildRandom, mulberry32, type Random } from './random.js'
export { startProgram, type StartedProgram } from './start-program.js'
export { splitTunables } from './tunables.js'
export { inRoleOf } from './in-role-of.js'
export { startService, type LogLine, type StartedService, type StartOptions } from './start-service.js'
export { startStack, type StartedStack, type StartStackOptions } from './start-stack.js'
export { outermost, type TestContext } from './test-context.js'
export { useEnvironment } from './use-environment.js'
export { natsOptions, useNats, type TestNats } from './use-nats.js'
export { useRedis, type TestRedis } from './use-redis.js'
export { openPrivateServers, removeAbandoned, useServers } from './use-servers.js'
export { waitFor, type WaitOptions } from './wait-for.js'
export { workAsIngest } from './work-as-ingest.js'
export { dumpProjections, findArrivalProblems, type ProjectionDump } from './dump-projections.js'
export { readExpectedAnswers, readFixtureMessages, toSecondShape, type ExpectedAnswers } from './fixtures.js'
export { compareAnswers, describeDifferences, type AskApi, type Comparison } from './compare-answers.js'
export {
  findContradictions,
  readSecondAnswers,
  readSecondFixtures,
  toFixtureMessages,
  shuffleFixtures,
  type FixtureAnswers,
  type FixtureMessage,
} from './fixtures-2.js'
