import { ExactNumber, type ExactJson } from './exact-json.js'

/** An integer literal from `min` to 2^53-1; up to 15 digits come as a number, longer ones as their text. */
export function readSafeInteger(value: ExactJson | undefined, min: number): number | undefined {
  const number = value instanceof ExactNumber && /^\d{16}$/.test(value.text) ? Number(value.text) : value
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= min ? number : undefined
}
