// What is known of the made-up chain while its load is planned.
import type { Chain, ChainGateway, ChainPolicy } from '@payment-tracking/testkit'
import type { PlannedMessage } from './messages.js'
import type { Random } from './random.js'

export interface LoadStep {
  atMs: number
  message: PlannedMessage
}

/** How an endpoint of a gateway answers. `final` is healthy, and is told only of what is final. */
export const ENDPOINT_BEHAVIOURS = ['healthy', 'slow', 'flaky', 'dead', 'final'] as const
export type EndpointBehaviour = (typeof ENDPOINT_BEHAVIOURS)[number]

export interface PlannedGateway extends ChainGateway {
  endpoints: readonly EndpointBehaviour[]
}

export type ChainEventMessage = PlannedMessage['message'] & object
export type Say = (message: PlannedMessage, delayMs?: number) => void
export type Tell = (message: ChainEventMessage, delayMs?: number) => void

/** A composable policy, and how often it was executed. */
export interface Composable {
  address: string
  gateway: string
  recipient: string
  trackingId: string
  executions: number
  created: ChainEventMessage
}

/** The made-up chain while it is planned. */
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
  /** transactions of which somebody says something else: what is retracted is none of them */
  contradicted: Set<string>
  retracted: Set<string>
}

const RECENT = 150

/** A message that is on its way or was before. */
export function earlier({ steps, random }: Pick<World, 'steps' | 'random'>): LoadStep {
  return steps[random.between(Math.max(0, steps.length - RECENT), steps.length - 1)]!
}
