// Answers that cost much, kept for a minute: the next who asks gets the same one.

interface KeptAnswer<Answer> {
  answer: Answer
  bytes: number
  madeAtMs: number
}

export class KeptAnswers<Answer> {
  readonly #kept = new Map<string, KeptAnswer<Answer>>()
  #bytes = 0

  /** @param limits how long an answer is kept, and how many bytes all have; beyond it the oldest are dropped */
  constructor(private readonly limits: { keepMs: number; bytes: number }) {}

  /** @returns the answer and its age; undefined when there is none that is young enough */
  find(key: string, nowMs: number): { answer: Answer; ageMs: number } | undefined {
    this.#dropOld(nowMs)
    const kept = this.#kept.get(key)
    return kept && { answer: kept.answer, ageMs: nowMs - kept.madeAtMs }
  }

  keep(key: string, answer: Answer, bytes: number, nowMs: number): void {
    this.#drop(key)
    this.#kept.set(key, { answer, bytes, madeAtMs: nowMs })
    this.#bytes += bytes
    this.#dropOld(nowMs)
  }

  #dropOld(nowMs: number): void {
    for (const [key, { madeAtMs }] of this.#kept) {
      if (this.#bytes <= this.limits.bytes && nowMs - madeAtMs < this.limits.keepMs) return
      this.#drop(key)
    }
  }

  #drop(key: string): void {
    this.#bytes -= this.#kept.get(key)?.bytes ?? 0
    this.#kept.delete(key)
  }
}
