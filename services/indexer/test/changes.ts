// Changes of JSON values: members removed, null, or of another type.
const WRONG_TYPES: readonly unknown[] = [null, true, -1, 0.5, 1e300, '', 'x y', [], [null], {}, { a: 1 }]

/** A path into a value, and what stands there instead; no `to` where the member or element is removed. */
export interface Change {
  path: (string | number)[]
  to?: { value: unknown }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** Changes of everything in a value, the value itself included. */
export function* changesOf(value: unknown, path: Change['path'] = []): Generator<Change> {
  if (path.length > 0) yield { path }
  for (const to of WRONG_TYPES)
    if (JSON.stringify(to) !== JSON.stringify(value)) yield { path, to: { value: to } }
  if (!isObject(value)) return
  const keys = Array.isArray(value) ? value.map((_, at) => at) : Object.keys(value)
  for (const key of keys) yield* changesOf(value[key], [...path, key])
}

export function change(value: unknown, { path, to }: Change): unknown {
  if (path.length === 0) return to!.value
  const copy = structuredClone(value)
  const parent = path.slice(0, -1).reduce((at, key) => (at as Record<string, unknown>)[key], copy)
  const last = path.at(-1)!
  if (to) (parent as Record<string, unknown>)[last] = to.value
  else if (Array.isArray(parent)) parent.splice(last as number, 1)
  else delete (parent as Record<string, unknown>)[last]
  return copy
}
