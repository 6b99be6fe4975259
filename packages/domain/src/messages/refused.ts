import type { RefusalCode } from './refusal-codes.js'

/** Thrown by the readers of a message, caught by `readMessage` alone: a refusal is a result, not an error. */
export class Refused extends Error {
  constructor(
    readonly code: RefusalCode,
    reason: string,
  ) {
    super(reason)
    this.name = 'Refused'
  }
}

/** @throws Refused always: `data`'s field is not what the program's interface says */
export function refuseField(path: string, expected: string): never {
  throw new Refused('BAD_DATA', `data.${path} must be ${expected}`)
}
