// The sockets of all tracking IDs, compared with REST.
import { watchPayments, type PaymentWatch } from '@payment-tracking/client'
import { waitFor, type AskApi, type FixtureAnswers, type TestContext } from '@payment-tracking/testkit'
import type { Test } from 'tap'

/** What one tracking ID was told by its socket. */
interface Received {
  payments: Map<number, string>
  retracted: Map<number, string>
  doubles: number[]
  refused: string[]
}

export function openSockets(t: TestContext, url: string, expected: FixtureAnswers): Map<string, Received> {
  const received = new Map<string, Received>()
  const watches: PaymentWatch[] = []
  t.teardown(() => watches.forEach(watch => watch.close()))
  for (const { trackingId } of expected.oneTime as { trackingId: string }[]) {
    const mine: Received = { payments: new Map(), retracted: new Map(), doubles: [], refused: [] }
    received.set(trackingId, mine)
    watches.push(
      watchPayments(url, {
        trackingId,
        since: 0,
        onPayment: ({ seq, signature }) => {
          if (mine.payments.has(seq)) mine.doubles.push(seq)
          mine.payments.set(seq, signature)
        },
        onRetraction: ({ seq, signature }) => {
          if (mine.retracted.has(seq)) mine.doubles.push(seq)
          mine.retracted.set(seq, signature)
        },
        onRefused: ({ code, isFinal }) => isFinal && mine.refused.push(code),
        onReset: () => mine.refused.push('another database'),
      }),
    )
  }
  return received
}

interface Listed {
  seq: number
  signature: string
}

/** What a socket was told, less what was taken back, is what REST lists. */
export async function checkSockets(
  t: Test,
  expected: FixtureAnswers,
  received: ReadonlyMap<string, Received>,
  ask: AskApi,
): Promise<void> {
  const problems: string[] = []
  const wanted = expected.oneTime as { trackingId: string; seqs: number; retracted: unknown[] }[]
  const isComplete = ({ trackingId, seqs, retracted }: (typeof wanted)[number]) => {
    const mine = received.get(trackingId)!
    const seen = new Set([...mine.payments.keys(), ...mine.retracted.keys()])
    return seen.size >= seqs && mine.retracted.size >= retracted.length
  }
  // What is missing then is named below.
  await waitFor(() => wanted.every(isComplete), { what: 'all sockets', timeoutMs: 30_000 }).catch(() => {})
  for (const each of wanted) {
    const { trackingId, seqs } = each
    const mine = received.get(trackingId)!
    if (!isComplete(each))
      problems.push(
        `${trackingId}: ${mine.payments.size} payments, ${mine.retracted.size} retractions of ${seqs}`,
      )
    const { data } = JSON.parse(
      (await ask(`/v1/onetime/${encodeURIComponent(trackingId)}?limit=1000`)).text,
    ) as {
      data?: Listed | Listed[]
    }
    const listed = [data ?? []].flat().map(({ seq, signature }) => `${seq} ${signature}`)
    const valid = [...mine.payments]
      .filter(([seq]) => !mine.retracted.has(seq))
      .map(([seq, signature]) => `${seq} ${signature}`)
    if (listed.sort().join() !== valid.sort().join())
      problems.push(`${trackingId}: REST ${listed.join(', ')}; socket ${valid.join(', ')}`)
    if (mine.doubles.length + mine.refused.length > 0)
      problems.push(`${trackingId}: doubles ${mine.doubles.join()}, refused ${mine.refused.join()}`)
  }
  t.strictSame(problems, [], `sockets of ${received.size} tracking IDs`)
}
