/** A usual terminal breaks wider lines in the middle of a word. */
const COLUMNS = 100

/** Breaks lines that are wider than a terminal at a space; what follows is indented. A word that is wider stays whole. */
export const wrapLines = (text: string, columns = COLUMNS): string =>
  text
    .split('\n')
    .map(line => wrapLine(line, columns))
    .join('\n')

function wrapLine(line: string, columns: number): string {
  const indent = ' '.repeat(/^[ -]*/.exec(line)![0].length + 2)
  const lines: string[] = []
  let rest = line
  while (rest.length > columns) {
    const first = indent.length + 1
    const before = rest.lastIndexOf(' ', columns)
    const at = before >= first ? before : rest.indexOf(' ', first)
    if (at < 0) break
    lines.push(rest.slice(0, at))
    rest = indent + rest.slice(at + 1)
  }
  return [...lines, rest].join('\n')
}
