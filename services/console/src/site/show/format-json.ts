const STRING = /"(?:[^"\\]|\\.)*"/y
const PLAIN = /[^\s"{}[\],:]+/y

/**
 * JSON in lines, with every digit as it was sent: numbers of the chain are longer than a double holds, so nothing is parsed.
 * @returns the text itself where it is no JSON
 */
export function formatJson(text: string): string {
  try {
    JSON.parse(text)
  } catch {
    return text
  }
  let [formatted, depth] = ['', 0]
  const line = () => `\n${'  '.repeat(depth)}`
  for (let at = 0; at < text.length;) {
    const rest = [STRING, PLAIN].map(pattern => {
      pattern.lastIndex = at
      return pattern.exec(text)?.[0]
    })
    const value = rest.find(found => found !== undefined)
    if (value !== undefined) {
      formatted += value
      at += value.length
      continue
    }
    const sign = text[at]!
    at += 1
    if (/\s/.test(sign)) continue
    const isEmpty = /^\s*[}\]]/.test(text.slice(at, at + 100))
    if (sign === '{' || sign === '[') {
      depth += 1
      formatted += isEmpty ? sign : sign + line()
    } else if (sign === '}' || sign === ']') {
      depth -= 1
      formatted += /[{[]$/.test(formatted) ? sign : line() + sign
    } else formatted += sign === ',' ? `,${line()}` : ': '
  }
  return formatted
}
