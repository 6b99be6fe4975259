// Writes a history while it happens.
import { createWriteStream } from 'node:fs'
import { once } from 'node:events'
import type { Entry } from './entries.js'

/** What a client notes; the recorder adds the time. */
export type Note = Entry extends infer Each ? (Each extends Entry ? Omit<Each, 'at'> : never) : never

export interface Recorder {
  note(note: Note): void
  /** A number of its own for each request and each connection. */
  next(): number
  /** Everything is in the file. */
  close(): Promise<void>
}

/** The process looks so often whether it stood still. */
const CHECK_EVERY_MS = 20
/** What is shorter is no stall: `clockErrorMs` allows for that much anyway. */
const SHORTEST_STALL_MS = 25

export function openRecorder(file: string): Recorder {
  const beganMs = performance.now()
  const stream = createWriteStream(file)
  let last = 0
  let closed = false
  const note = (note: Note): void => {
    if (closed) return
    const at = Math.round((performance.now() - beganMs) * 10) / 10
    stream.write(`${JSON.stringify({ at, ...note })}\n`)
  }
  let checkedMs = performance.now()
  const checking = setInterval(() => {
    const nowMs = performance.now()
    const lateMs = Math.round(nowMs - checkedMs - CHECK_EVERY_MS)
    checkedMs = nowMs
    if (lateMs >= SHORTEST_STALL_MS) note({ what: 'stall', forMs: lateMs })
  }, CHECK_EVERY_MS)
  return {
    note,
    next: () => (last += 1),
    async close() {
      if (closed) return
      closed = true
      clearInterval(checking)
      stream.end()
      await once(stream, 'close')
    },
  }
}
