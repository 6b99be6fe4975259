// The values of Quint, as the search needs them: immutable, and with a text by which two are compared. Numbers, truths and
// texts are those of JavaScript.

type Plain = number | boolean | string
export type Value = Plain | Composite<unknown>

abstract class Composite<V> {
  #key: string | undefined
  constructor(readonly value: V) {}
  /** A text that two values of a type share only when they are equal. */
  get key(): string {
    this.#key ??= this.makeKey()
    return this.#key
  }
  protected abstract makeKey(): string
}

export class QuintRecord extends Composite<Readonly<Record<string, Value>>> {
  protected makeKey(): string {
    const names = Object.keys(this.value).sort()
    return `{${names.map(name => `${name}:${keyOf(this.value[name]!)}`).join()}}`
  }
}

/** A tuple, or a list. */
export class QuintList extends Composite<readonly Value[]> {
  protected makeKey(): string {
    return `[${this.value.map(keyOf).join()}]`
  }
}

/** By the keys of its members. */
export class QuintSet extends Composite<ReadonlyMap<string, Value>> {
  protected makeKey(): string {
    return `(${[...this.value.keys()].sort().join()})`
  }
  items(): Iterable<Value> {
    return this.value.values()
  }
}

export class QuintMap extends Composite<ReadonlyMap<string, readonly [Value, Value]>> {
  protected makeKey(): string {
    return `<${Array.from(this.value, ([key, [, item]]) => `${key}:${keyOf(item)}`)
      .sort()
      .join()}>`
  }
}

export const keyOf = (value: Value): string => (value instanceof Composite ? value.key : String(value))

const setOf = (items: Iterable<Value>): QuintSet => {
  const members = new Map<string, Value>()
  for (const item of items) members.set(keyOf(item), item)
  return new QuintSet(members)
}
const mapOf = (entries: Iterable<readonly [Value, Value]>): QuintMap =>
  new QuintMap(new Map(Array.from(entries, entry => [keyOf(entry[0]), entry])))
const equal = (a: Value, b: Value): boolean =>
  a instanceof Composite ? a.key === (b as typeof a).key : a === b

type Each<R> = (item: Value) => R

/** What the compiled text of a model calls, by the names of Quint's operators. */
export const RUNTIME = {
  keyOf,
  lazy<V>(compute: () => V): () => V {
    let value: V
    let known = false
    return () => {
      if (!known) value = compute()
      known = true
      return value
    }
  },
  eq: equal,
  neq: (a: Value, b: Value) => !equal(a, b),
  Rec: (...parts: Value[]) => {
    const fields: Record<string, Value> = {}
    for (let at = 0; at < parts.length; at += 2) fields[parts[at] as string] = parts[at + 1]!
    return new QuintRecord(fields)
  },
  with: (record: QuintRecord, name: string, value: Value) =>
    new QuintRecord({ ...record.value, [name]: value }),
  Tup: (...items: Value[]) => new QuintList(items),
  item: (tuple: QuintList, number: number) => tuple.value[number - 1]!,
  List: (...items: Value[]) => new QuintList(items),
  nth: (list: QuintList, at: number) => {
    const item = list.value[at]
    if (item === undefined) throw new Error(`nothing at ${at} of ${list.key}`)
    return item
  },
  append: (list: QuintList, item: Value) => new QuintList([...list.value, item]),
  length: (list: QuintList) => list.value.length,

  Set: (...items: Value[]) => setOf(items),
  to: (from: number, upTo: number) =>
    setOf(Array.from({ length: Math.max(0, upTo - from + 1) }, (_, n) => from + n)),
  tuples: (some: QuintSet, others: QuintSet) =>
    setOf([...some.items()].flatMap(a => Array.from(others.items(), b => new QuintList([a, b])))),
  contains: (set: QuintSet, item: Value) => set.value.has(keyOf(item)),
  in: (item: Value, set: QuintSet) => set.value.has(keyOf(item)),
  size: (set: QuintSet) => set.value.size,
  union: (a: QuintSet, b: QuintSet) => new QuintSet(new Map([...a.value, ...b.value])),
  exclude: (a: QuintSet, b: QuintSet) =>
    new QuintSet(new Map([...a.value].filter(([key]) => !b.value.has(key)))),
  filter: (set: QuintSet, keeps: Each<boolean>) =>
    new QuintSet(new Map([...set.value].filter(([, item]) => keeps(item)))),
  map: (set: QuintSet, change: Each<Value>) => setOf(Array.from(set.items(), change)),
  forall: (set: QuintSet, holds: Each<boolean>) => {
    for (const item of set.items()) if (!holds(item)) return false
    return true
  },
  exists: (set: QuintSet, holds: Each<boolean>) => {
    for (const item of set.items()) if (holds(item)) return true
    return false
  },
  /** In the order of the keys: sets that are equal are folded alike. */
  fold: <R>(set: QuintSet, first: R, add: (sum: R, item: Value) => R): R =>
    [...set.value.keys()].sort().reduce((sum, key) => add(sum, set.value.get(key)!), first),

  Map: (...entries: QuintList[]) => mapOf(entries.map(({ value }) => [value[0]!, value[1]!])),
  keys: (map: QuintMap) => setOf(Array.from(map.value.values(), ([key]) => key)),
  get: (map: QuintMap, key: Value) => {
    const entry = map.value.get(keyOf(key))
    if (!entry) throw new Error(`no ${keyOf(key)} in ${map.key}`)
    return entry[1]
  },
  set: (map: QuintMap, key: Value, item: Value) => {
    if (!map.value.has(keyOf(key))) throw new Error(`no ${keyOf(key)} in ${map.key}`)
    return new QuintMap(new Map(map.value).set(keyOf(key), [key, item]))
  },
  mapBy: (set: QuintSet, make: Each<Value>) =>
    mapOf(Array.from(set.items(), key => [key, make(key)] as const)),
}
