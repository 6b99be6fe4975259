/** How many characters must be inserted, deleted or replaced to make one text of the other (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1]
    for (let j = 0; j < b.length; j++) {
      const replaced = row[j]! + (a[i] === b[j] ? 0 : 1)
      next.push(Math.min(replaced, row[j + 1]! + 1, next[j]! + 1))
    }
    row = next
  }
  return row[b.length]!
}

/** Longer names are compared by their beginning: the work of a refusal stays small. */
const LONGEST = 64

/** The known name that is most like a name that is not known, in whatever case it was written. */
export function nearestName(name: string, known: readonly string[]): string {
  const sent = name.slice(0, LONGEST).toLowerCase()
  const distances = known.map(each => distance(sent, each.toLowerCase()))
  return known[distances.indexOf(Math.min(...distances))]!
}
