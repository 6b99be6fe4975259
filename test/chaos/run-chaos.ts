// One run: start, load, faults, rest, reconciliation.
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { discardDataDir } from '@payment-tracking/stack'
import { openInjector } from './faults/inject.js'
import { ToldHeads } from './load/answer-rules.js'
import { openCommitChecker } from './load/commit-checker.js'
import { openExpecter } from './load/expecter.js'
import { openPublisher } from './load/publisher.js'
import { openEndpoints, type Endpoint } from './load/receivers.js'
import { openRestReader } from './load/rest-reader.js'
import { SocketClient } from './load/socket-client.js'
import { openStreamFollower } from './load/stream-follower.js'
import type { Plan } from './plan/plan.js'
import { reconcileAtRest } from './reconcile/reconcile-at-rest.js'
import type { Reconciliation } from './reconcile/reconcile.js'
import { openSystem, WEBHOOK_TIMEOUT_MS } from './system/open-system.js'

export interface RunOptions {
  plan: Plan
  /** The repository, or a copy that was broken on purpose. */
  root: string
  /** How long the system may take to become idle after the last fault. */
  idleWithinMs: number
  log: (line: string) => void
  /** Keeps the data directory and its logs. */
  keep: boolean
  /** processes of each service; default two */
  replicas?: number
  /** Ends the run early; everything it opened is closed first. */
  signal?: AbortSignal
}

export interface RunResult extends Reconciliation {
  dataDir: string
}

const PROGRESS_EVERY_MS = 3_000
/** The longest time of a webhook request: WEBHOOK_TIMEOUT_MS of the system, and a margin. */
const IN_FLIGHT_MS = WEBHOOK_TIMEOUT_MS + 1_000
/** The last log line of a pod that ends because its database was replaced. */
const ENDED_BY_PROMOTION = /lost commits, or was replaced/

/** @throws the signal's reason when it is aborted */
export async function runChaos({
  plan,
  root,
  idleWithinMs,
  log,
  keep,
  replicas,
  signal,
}: RunOptions): Promise<RunResult> {
  // Later runs delete directories with the second prefix that an aborted run left behind.
  const prefix = keep ? 'payment-tracking-chaos-' : 'payment-tracking-test-chaos-'
  const dataDir = await mkdtemp(join(tmpdir(), prefix))
  const closers: (() => Promise<unknown> | void)[] = keep ? [] : [() => discardDataDir(dataDir)]
  const own = <T>(thing: T, close: (thing: T) => Promise<unknown> | void): T => {
    closers.push(() => close(thing))
    return thing
  }
  const aborted = new Promise<never>((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
  aborted.catch(() => {})
  const run = async (): Promise<RunResult> => {
    const withStandby = plan.faults.some(({ kind }) => kind === 'promote-standby')
    const system = own(
      await openSystem({
        dataDir,
        root,
        log,
        withStandby,
        withSentinels: plan.sentinels,
        ...(replicas && { replicas }),
      }),
      it => it.close(),
    )
    let promoted = false
    let kept = 0
    const checker = own(openCommitChecker(system.databaseUrl), it => it.close())
    const publisher = own(await openPublisher(system.servers.natsUrl), it => it.close())
    await system.waitUntilReady()
    const follower = own(await openStreamFollower(system.baseUrl, () => promoted), it => it.close())
    await Promise.all(plan.load.opening.map(message => publisher.publish(message)))
    const endpoints = own(await openEndpoints(system.baseUrl, plan.load.gateways, checker), each =>
      Promise.all(each.map(it => it.close())),
    )
    const expecter = own(
      openExpecter(system.baseUrl, () => promoted),
      it => it.stop(),
    )
    const rest = own(openRestReader(system.baseUrl, plan.load.trackingIds), it => it.stop())
    const told = new ToldHeads()
    const clients = own(
      plan.clients.map(client => new SocketClient(system.baseUrl, client, checker, told)),
      each => each.forEach(client => client.leave()),
    )
    const onPromotion = (position: number) => {
      promoted = true
      kept = position
      checker.forgive()
      for (const endpoint of endpoints) endpoint.forget()
      // Requests that left before the promotion may arrive a moment after it.
      setTimeout(() => endpoints.forEach(endpoint => endpoint.forget()), IN_FLIGHT_MS)
    }
    const injector = own(openInjector(system, publisher, onPromotion), it => it.close())

    const startedMs = performance.now()
    const progress = own(
      setInterval(() => {
        const second = ((performance.now() - startedMs) / 1000).toFixed(0).padStart(4)
        log(
          `${second} s  faults ${injector.injected.length}` +
            `  published ${publisher.journal.length}/${publisher.asked}` +
            `  ready ${system.processes.filter(({ ready }) => ready).length}/${system.processes.length}` +
            `  sockets ${clients.filter(({ connected }) => connected).length}` +
            `  requests ${countRequests(endpoints)}  reads ${rest.answers} (+${rest.refusals} refused)` +
            `  last: ${injector.injected.at(-1) ?? '–'}`,
        )
      }, PROGRESS_EVERY_MS),
      clearInterval,
    )
    const play = async <T extends { atMs: number }>(steps: readonly T[], act: (step: T) => unknown) => {
      for (const step of steps) {
        await sleep(Math.max(0, startedMs + step.atMs - performance.now()))
        act(step)
      }
    }
    const comings = clients.flatMap(client =>
      client.plan.stays.flatMap(({ fromMs, toMs }) => [
        { atMs: fromMs, act: () => client.come() },
        { atMs: toMs, act: () => client.plan.kind === 'comer' && client.leave() },
      ]),
    )
    const expectations = plan.load.expectations.map(each => ({ ...each, atMs: each.createdAtMs }))
    await Promise.all([
      play(
        expectations.sort((a, b) => a.atMs - b.atMs),
        plan => expecter.expect(plan),
      ),
      play(plan.load.steps, ({ message }) => publisher.publish(message)),
      play(plan.faults, step => injector.inject(step)),
      play(
        comings.sort((a, b) => a.atMs - b.atMs),
        ({ act }) => act(),
      ),
    ])
    log('nothing is broken any more; waiting for rest')
    await injector.drain()
    // Reported, and not thrown: the comparison shows what the process that is not ready left undone.
    const unready = await system.waitUntilReady().then(
      () => [],
      (error: unknown) => [`rest: ${(error as Error).message}`],
    )
    for (const line of unready) log(line)
    await publisher.drain()
    if (promoted) expecter.repeat()
    for (const client of clients) client.come()
    const { baseUrl } = system
    const observed = { publisher, expecter, checker, endpoints, clients, follower, baseUrl }
    const { differences, counts } = await reconcileAtRest(
      { ...observed, promoted, kept, system },
      idleWithinMs,
    )
    clearInterval(progress)
    await rest.stop()
    const crashes = system.processes
      .flatMap(process => process.crashes)
      .filter(line => !(promoted && ENDED_BY_PROMOTION.test(line)))
    const ends = await system.stop()
    const badEnds = ends
      .filter(({ code }) => code !== 0)
      .map(({ name, code }) => `stop: ${name} ended with exit code ${code}`)
    return {
      differences: [
        ...unready,
        ...differences,
        ...rest.problems,
        ...crashes.map(line => `crash: ${line}`),
        ...badEnds,
      ],
      counts: { ...counts, faults: injector.injected.length },
      dataDir,
    }
  }
  try {
    return await Promise.race([run(), aborted])
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

const countRequests = (endpoints: readonly Endpoint[]): number =>
  endpoints.reduce((sum, { receiver }) => sum + receiver.requests.length, 0)
