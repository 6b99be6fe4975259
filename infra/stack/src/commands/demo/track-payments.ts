import type { FeedPayment } from './play-feed.js'

export const STAGES = ['stored', 'pushed', 'delivered'] as const
export type Stage = (typeof STAGES)[number]

/** The stages of a payment: the delay of each stage since the publication, in milliseconds. */
export interface TrackedPayment extends FeedPayment {
  publishedAtMs: number
  delaysMs: Partial<Record<Stage, number>>
}

/** Payments in progress, by signature. Only the first report of a stage counts. */
export class PaymentTracker {
  readonly waiting = new Map<string, TrackedPayment>()
  readonly complete: TrackedPayment[] = []

  constructor(private readonly onComplete: (payment: TrackedPayment) => void) {}

  publish(payment: FeedPayment): void {
    this.waiting.set(payment.signature, { ...payment, publishedAtMs: Date.now(), delaysMs: {} })
  }

  reach(signature: string, stage: Stage): void {
    const payment = this.waiting.get(signature)
    if (!payment || payment.delaysMs[stage] !== undefined) return
    payment.delaysMs[stage] = Date.now() - payment.publishedAtMs
    if (STAGES.some(each => payment.delaysMs[each] === undefined)) return
    this.waiting.delete(signature)
    this.complete.push(payment)
    this.onComplete(payment)
  }

  /** Payments that have not been seen by REST yet. */
  notStored(): TrackedPayment[] {
    return [...this.waiting.values()].filter(({ delaysMs }) => delaysMs.stored === undefined)
  }

  /** The middle delay of a stage over all complete payments. */
  medianMs(stage: Stage): number {
    const sorted = this.complete.map(({ delaysMs }) => delaysMs[stage]!).sort((a, b) => a - b)
    return sorted[Math.floor(sorted.length / 2)] ?? 0
  }
}
