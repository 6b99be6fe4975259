/** Adds a value to the list of a key. */
export const push = <K, V>(map: Map<K, V[]>, key: K, value: V): void =>
  void (map.get(key)?.push(value) ?? map.set(key, [value]))
