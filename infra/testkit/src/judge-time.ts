/** The part of a test that judges. */
interface Judge {
  ok(condition: boolean, message: string): unknown
  comment(message: string): void
}

/**
 * Judges a time where `JUDGE_TIMES` is set: in night tests, on a machine that does nothing else. Elsewhere it is only told.
 */
export function isQuick(t: Judge, tookMs: number, mostMs: number, what: string): void {
  const said = `${what}: ${Math.round(tookMs)} ms of at most ${mostMs} ms`
  if (process.env.JUDGE_TIMES) t.ok(tookMs <= mostMs, said)
  else t.comment(said)
}
