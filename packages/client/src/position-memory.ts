// What this process knows of a service: the highest position that an answer, a payment or the stream sent. REST requests
// send it, so that a client that got a payment can read it, whichever replica answers.
import { rootOf } from './base-url.js'

/** The part of a request and an answer that a position travels in. */
const [ASKED, ANSWERED, EPOCH] = ['x-min-position', 'x-position', 'x-epoch']

export class PositionMemory {
  #position = 0
  #epoch: string | undefined

  get position(): number {
    return this.#position
  }

  /** @param epoch which database the position belongs to, where it is known: of another one, only the new position counts */
  remember(position: number, epoch?: string): void {
    if (epoch !== undefined && this.#epoch !== undefined && epoch !== this.#epoch) this.#position = 0
    if (epoch !== undefined) this.#epoch = epoch
    if (position > this.#position) this.#position = position
  }

  /**
   * Sends a request with the position, and remembers that of the answer. When the database was replaced, the position
   * has no meaning any more, and the request is sent once more without it.
   */
  async fetch(request: Request): Promise<Response> {
    const isRead = request.method === 'GET' && !request.headers.has(ASKED)
    if (!isRead || this.#position === 0) return this.#read(await fetch(request))
    const again = request.clone()
    const asked = this.#epoch
    const withPosition = new Request(request)
    withPosition.headers.set(ASKED, String(this.#position))
    const response = this.#read(await fetch(withPosition))
    return response.status === 503 && asked !== undefined && asked !== this.#epoch
      ? this.#read(await fetch(again))
      : response
  }

  #read(response: Response): Response {
    const answered = response.headers.get(ANSWERED)
    if (answered !== null) this.remember(Number(answered), response.headers.get(EPOCH) ?? undefined)
    return response
  }
}

const memories = new Map<string, PositionMemory>()

/** The memory that everything in this process shares for a service. */
export function positionsOf(baseUrl: string): PositionMemory {
  const root = rootOf(baseUrl)
  const memory = memories.get(root) ?? new PositionMemory()
  memories.set(root, memory)
  return memory
}
