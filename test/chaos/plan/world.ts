// The state of the simulated chain while the load is planned.
import type { Chain, ChainGateway, ChainPolicy, Random } from '@payment-tracking/testkit'
import type { PlannedExpectation } from './expectation-plan.js'
import type { PlannedMessage } from './messages.js'

export interface LoadStep {
  atMs: number
  message: PlannedMessage
}

/**
 * How an endpoint of a gateway answers. A `final` endpoint is healthy and receives only payments that are final. A
 * `lifecycle` endpoint is healthy and receives only what happens to policies; `expected` and `expected-final` ones are healthy
 * and receive only what becomes of expected payments.
 */
export const ENDPOINT_BEHAVIOURS = [
  'healthy',
  'slow',
  'flaky',
  'dead',
  'final',
  'lifecycle',
  'expected',
  'expected-final',
] as const
export type EndpointBehaviour = (typeof ENDPOINT_BEHAVIOURS)[number]

export const isExpected = (behaviour: EndpointBehaviour): boolean => behaviour.startsWith('expected')
/** Others are told nothing of payments. */
export const isOfPayments = (behaviour: EndpointBehaviour): boolean =>
  behaviour !== 'lifecycle' && !isExpected(behaviour)

export interface PlannedGateway extends ChainGateway {
  endpoints: readonly EndpointBehaviour[]
}

export type ChainEventMessage = PlannedMessage['message'] & object
export type Say = (message: PlannedMessage, delayMs?: number) => void
export type Publish = (message: ChainEventMessage, delayMs?: number) => void

/** A composable policy, with the number of its executions. */
export interface Composable {
  address: string
  gateway: string
  recipient: string
  trackingId: string
  executions: number
}

/** The simulated chain while the load is planned. */
export interface World {
  chain: Chain
  random: Random
  gateways: PlannedGateway[]
  policies: ChainPolicy[]
  steps: LoadStep[]
  trackingIds: string[]
  composables: Composable[]
  /** the events of each transaction, by signature */
  transactions: Map<string, ChainEventMessage[]>
  /** transactions with a contradicting message; the plan retracts none of these transactions */
  contradicted: Set<string>
  retracted: Set<string>
  expectations: PlannedExpectation[]
}

const RECENT = 150

/** One of the last `RECENT` messages of the plan. */
export function earlier({ steps, random }: Pick<World, 'steps' | 'random'>): LoadStep {
  return steps[random.between(Math.max(0, steps.length - RECENT), steps.length - 1)]!
}
