import { readMessage } from '@payment-tracking/domain'

/** Counts the messages that ingest will refuse, while they are published. */
export class RefusalCount {
  readonly #programId: string
  /** By code: how many, and the number of the first line. */
  readonly #byCode = new Map<string, { count: number; firstLine: number }>()

  constructor(programId: string) {
    this.#programId = programId
  }

  /** Passes lines on as they are. */
  async *watch(lines: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
    let number = 0
    for await (const line of lines) {
      number += 1
      const read = readMessage(line, { programId: this.#programId, requireProgramId: false })
      if (!read.ok) this.#add(read.refusal.code, number)
      yield line
    }
  }

  #add(code: string, line: number): void {
    const known = this.#byCode.get(code)
    if (known) known.count += 1
    else this.#byCode.set(code, { count: 1, firstLine: line })
  }

  /** @returns what follows `published N messages`; empty when ingest refuses none */
  describe(): string {
    if (this.#byCode.size === 0) return ''
    const codes = [...this.#byCode].map(
      ([code, { count, firstLine }]) => `${count} ${code} (first in line ${firstLine})`,
    )
    const sum = [...this.#byCode.values()].reduce((total, { count }) => total + count, 0)
    return `; ${sum} of them will be refused and kept as dead letters: ${codes.join(', ')}. docs/errors.md explains the codes.`
  }
}
