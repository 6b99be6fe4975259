// Traces of a model in ITF (the format of Apalache's traces), and their draw by `quint run`.
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const QUINT = fileURLToPath(
  new URL('../../../node_modules/@informalsystems/quint/dist/src/cli.js', import.meta.url),
)

/** A value of a trace: maps are objects by the text of their keys; integers are numbers; sets are lists. */
// Each model has its own shape.
// oxlint-disable-next-line typescript/no-explicit-any
export type TraceValue = any

export interface TraceStep {
  action: string
  /** what was chosen, by name */
  picks: Record<string, TraceValue>
  /** after the step */
  state: TraceValue
  /** of the same state, as `keyOf` of quint-values.ts writes it */
  key: string
}

/** Reads a value of Apalache's trace format. */
function toValue(value: TraceValue): TraceValue {
  if (Array.isArray(value)) return value.map(toValue)
  if (typeof value !== 'object' || value === null) return value
  if ('#bigint' in value) return Number(value['#bigint'])
  if ('#tup' in value) return value['#tup'].map(toValue)
  if ('#set' in value) return value['#set'].map(toValue)
  if ('#map' in value)
    return Object.fromEntries(
      value['#map'].map(([key, item]: [TraceValue, TraceValue]) => [String(toValue(key)), toValue(item)]),
    )
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toValue(item)]))
}

/** As `keyOf` of quint-values.ts. */
function keyOfItf(value: TraceValue): string {
  if (typeof value !== 'object' || value === null) return String(value)
  if (Array.isArray(value)) return `[${value.map(keyOfItf).join()}]`
  if ('#bigint' in value) return value['#bigint'] as string
  if ('#tup' in value) return `[${value['#tup'].map(keyOfItf).join()}]`
  if ('#set' in value) return `(${value['#set'].map(keyOfItf).sort().join()})`
  if ('#map' in value) {
    const entries = value['#map'].map(
      ([key, item]: [TraceValue, TraceValue]) => `${keyOfItf(key)}:${keyOfItf(item)}`,
    )
    return `<${entries.sort().join()}>`
  }
  return `{${Object.keys(value)
    .sort()
    .map(name => `${name}:${keyOfItf(value[name])}`)
    .join()}}`
}

/** @returns the trace without its first state */
export function readItf(text: string): TraceStep[] {
  const { states } = JSON.parse(text) as { states: TraceValue[] }
  return states.slice(1).map(state => ({
    action: state['mbt::actionTaken'],
    picks: Object.fromEntries(
      Object.entries<TraceValue>(state['mbt::nondetPicks'])
        .filter(([, { tag }]) => tag === 'Some')
        .map(([name, { value }]) => [name, toValue(value)]),
    ),
    state: toValue(state.s),
    key: keyOfItf(state.s),
  }))
}

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

interface Drawn {
  source: string
  traces: number
  steps: number
  seed: number
}

/** @returns the traces, each without its first state @throws Error when the model does not parse or breaks */
export async function drawTraces({ source, traces, steps, seed }: Drawn): Promise<TraceStep[][]> {
  const folder = await mkdtemp(join(tmpdir(), 'payment-tracking-traces-'))
  try {
    const file = join(folder, 'model.qnt')
    await writeFile(file, source)
    const counts = [
      `--max-samples=${traces}`,
      `--n-traces=${traces}`,
      `--max-steps=${steps}`,
      `--seed=${seed}`,
    ]
    await promisify(execFile)(
      process.execPath,
      [
        QUINT,
        'run',
        file,
        '--backend=typescript',
        '--mbt',
        ...counts,
        `--out-itf=${join(folder, '{seq}.itf.json')}`,
      ],
      { maxBuffer: 1 << 28 },
    )
    const files = (await readdir(folder)).filter(name => name.endsWith('.itf.json')).sort()
    return await Promise.all(files.map(async name => readItf(await readFile(join(folder, name), 'utf8'))))
  } finally {
    await rm(folder, { recursive: true })
  }
}
