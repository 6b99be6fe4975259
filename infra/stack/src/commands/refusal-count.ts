import { controlKindOf } from '@payment-tracking/contracts'
import { readControlMessage, readMessage } from '@payment-tracking/domain'
import { addressOf } from './open-publisher.js'

/**
 * Counts the messages that ingest will refuse, while they are published, and holds back lines that cannot be published.
 */
export class RefusalCount {
  readonly #programId: string
  readonly #prefix: string
  /** `line N: why`, for each line that was held back */
  readonly unpublished: string[] = []
  /** By code: how many, and the number of the first line. */
  readonly #byCode = new Map<string, { count: number; firstLine: number }>()

  /** @param prefix the first part of every subject of the stream */
  constructor(programId: string, prefix: string) {
    this.#programId = programId
    this.#prefix = prefix
  }

  /** Passes the publishable lines on, unchanged. */
  async *watch(lines: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
    let number = 0
    for await (const line of lines) {
      number += 1
      const addressed = addressOf(line, this.#prefix)
      if (typeof addressed === 'string') {
        this.unpublished.push(`line ${number}: ${addressed}`)
        continue
      }
      const kind = controlKindOf(this.#prefix, addressed.subject)
      const settings = { programId: this.#programId, requireProgramId: false }
      const read =
        kind === null ? readMessage(addressed.bytes, settings) : readControlMessage(kind, addressed.bytes)
      if (!read.ok) this.#add(read.refusal.code, number)
      yield line
    }
  }

  #add(code: string, line: number): void {
    const known = this.#byCode.get(code)
    if (known) known.count += 1
    else this.#byCode.set(code, { count: 1, firstLine: line })
  }

  /** @returns the text after `published N messages`, a line for each code; empty when ingest refuses none */
  describe(): string {
    if (this.#byCode.size === 0) return ''
    const codes = [...this.#byCode].map(
      ([code, { count, firstLine }]) => `  ${count} ${code} (first in line ${firstLine})`,
    )
    const sum = [...this.#byCode.values()].reduce((total, { count }) => total + count, 0)
    const heading = `; ${sum} of them will be refused and kept as dead letters:`
    return [heading, ...codes, 'docs/errors.md explains the codes.'].join('\n')
  }
}
