// The gateways' shop: it expects payments over REST, gives some up, and asks again until it has an answer.
import { setTimeout as sleep } from 'node:timers/promises'
import type { PlannedExpectation } from '../plan/expectation-plan.js'
import type { PlannedGateway } from '../plan/world.js'
import { post, signIn } from './receivers.js'

export interface Expected {
  plan: PlannedExpectation
  expiresAt: Date | null
  /** null: not created, or created too late */
  id: string | null
  cancelled: boolean
}

const AGAIN_MS = 150
/** Requests at once. In a long run thousands wait for an answer: all at once, they would leave this process no time for its clients. */
const LANES = 16
/** Refusals that say "not now", or that a token has ended. */
const PASSING = new Set([401, 429, 502, 503, 504])

interface Answer {
  status: number
  body: { id?: string; code?: string; state?: string; amountString?: string }
}

/** @param promoted whether a standby that lacked commits was promoted */
export function openExpecter(baseUrl: string, promoted: () => boolean) {
  const expected: Expected[] = []
  const problems: string[] = []
  /** What is done for each, one after the other. */
  const working = new Map<Expected, Promise<void>>()
  const tokens = new Map<PlannedGateway, Promise<string>>()
  let stopped = false
  let free = LANES
  const queue: (() => void)[] = []
  const inLane = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (free > 0) free -= 1
    else await new Promise<void>(resolve => queue.push(resolve))
    try {
      return await work()
    } finally {
      const next = queue.shift()
      if (next) next()
      else free += 1
    }
  }

  const ask = async (gateway: PlannedGateway, path: string, body: unknown): Promise<Answer> => {
    for (;;) {
      if (!tokens.has(gateway)) tokens.set(gateway, signIn(baseUrl, gateway))
      const url = `${baseUrl}/v1/gateway/${gateway.address}/expectations${path}`
      const token = await tokens.get(gateway)
      const [response, text] = await inLane(async () => {
        const answer = await post(url, body, token).catch(() => undefined)
        return [answer, await answer?.text().catch(() => undefined)] as const
      })
      if (response && text !== undefined && !PASSING.has(response.status))
        return { status: response.status, body: JSON.parse(text) as Answer['body'] }
      if (response?.status === 401) tokens.delete(gateway)
      if (stopped) throw new Error('stopped')
      await sleep(AGAIN_MS)
    }
  }
  const create = async (each: Expected): Promise<void> => {
    const { gateway, trackingId, recipient, tokenMint, amount } = each.plan
    const terms = { trackingId, recipient, tokenMint, amount: String(amount), expiresAt: each.expiresAt }
    const { status, body } = await ask(gateway, '', terms)
    const isMade = status === 201 || status === 200
    each.id = isMade ? body.id! : null
    if (isMade ? body.amountString !== String(amount) : status !== 400 || body.code !== 'INVALID_BODY')
      problems.push(`expectations: to create one was answered ${status} ${JSON.stringify(body)}`)
  }
  const cancel = async (each: Expected): Promise<void> => {
    if (each.id === null) return
    const { status, body } = await ask(each.plan.gateway, `/${each.id}/cancel`, {})
    if (status === 404 && promoted()) {
      await create(each)
      return cancel(each)
    }
    // Nobody knows yet whether something was paid.
    if (body.code === 'EXPECTATION_COUNTING') {
      if (stopped) throw new Error('stopped')
      await sleep(AGAIN_MS)
      return cancel(each)
    }
    each.cancelled = status === 200 && body.state === 'cancelled'
    if (!each.cancelled && (status !== 409 || body.code !== 'EXPECTATION_PAID'))
      problems.push(`expectations: to cancel one was answered ${status} ${JSON.stringify(body)}`)
  }
  const begin = (each: Expected, work: () => Promise<void>): void => {
    const running = (working.get(each) ?? Promise.resolve())
      .then(work)
      .catch((error: unknown) => void (stopped || problems.push(`expectations: ${String(error)}`)))
      .finally(() => working.get(each) === running && working.delete(each))
    working.set(each, running)
  }
  return {
    expected,
    problems,
    /** Expects a payment, and gives it up when the plan says so. */
    expect(plan: PlannedExpectation) {
      const { lastsMs, createdAtMs, cancelledAtMs } = plan
      const expiresAt = lastsMs === null ? null : new Date(Date.now() + lastsMs)
      const each: Expected = { plan, expiresAt, id: null, cancelled: false }
      expected.push(each)
      begin(each, async () => {
        await create(each)
        if (cancelledAtMs === null) return
        await sleep(Math.max(0, cancelledAtMs - createdAtMs))
        await cancel(each)
      })
    },
    repeat() {
      for (const each of expected)
        begin(each, async () => {
          await create(each)
          if (each.cancelled) await cancel(each)
        })
    },
    get waiting() {
      return working.size
    },
    stop: () => void (stopped = true),
  }
}

export type Expecter = ReturnType<typeof openExpecter>
