/** What was found different, each in a line of its own; the first word says where. */
export class Differences {
  readonly lines: string[] = []

  add(where: string, what: string): void {
    this.lines.push(`${where}: ${what}`)
  }

  addAll(lines: readonly string[]): void {
    this.lines.push(...lines)
  }

  /** Compares two sets of rows by key, line by line. */
  compareMaps(
    where: string,
    expected: ReadonlyMap<string, string>,
    found: ReadonlyMap<string, string>,
  ): void {
    for (const [key, value] of expected) {
      const other = found.get(key)
      if (other === undefined) this.add(where, `${key} is missing; it should be ${value}`)
      else if (other !== value) this.add(where, `${key} is ${other}; it should be ${value}`)
    }
    for (const [key, value] of found) {
      if (!expected.has(key)) this.add(where, `${key} should not be there; it is ${value}`)
    }
  }
}
