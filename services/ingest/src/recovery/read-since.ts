import { readArguments, refuseArguments } from '@payment-tracking/runtime'

const USAGE = `usage: npm run operate -- reingest --since TIME|SEQUENCE
  Reads the stream again from there. What is stored stays as it is.
  --since 2026-11-20T00:00:00Z   from a time (ISO 8601)
  --since 1                      from a sequence of the stream; 1 is all that the stream holds
  --help                         prints this`

/** Reads `--since` of the process: a stream sequence from 1, or an ISO 8601 time. */
export function readSince(): number | Date {
  const { since = '' } = readArguments({ usage: USAGE, options: { since: { type: 'string' } } }).values
  if (/^[1-9]\d{0,14}$/.test(since)) return Number(since)
  const time = new Date(/^\d{4}-\d{2}-\d{2}/.test(since) ? since : NaN)
  if (Number.isNaN(time.getTime())) refuseArguments(USAGE, '--since must be a time or a sequence')
  return time
}
