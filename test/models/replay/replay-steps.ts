import type { TraceStep } from './walk-model.js'

/** Replays steps one after another. @returns null, or the steps up to the first that threw or that `differs` tells of */
export async function replaySteps(
  trace: readonly TraceStep[],
  differs: (step: TraceStep, before: TraceStep | null) => Promise<string | null>,
): Promise<string | null> {
  for (const [index, step] of trace.entries()) {
    const difference = await differs(step, trace[index - 1] ?? null).catch(String)
    if (difference === null) continue
    const steps = trace.slice(0, index + 1).map(({ action, picks }) => `${action} ${JSON.stringify(picks)}`)
    return `${steps.join('\n')}\n${difference}`
  }
  return null
}

/** @returns null when both are equal */
export const differenceOf = (is: string, shouldBe: string): string | null =>
  is === shouldBe ? null : `is:\n${is}\nshould be:\n${shouldBe}`
