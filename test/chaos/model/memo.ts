/** The tracking ID of a memo's bytes, or null: no trimming but of trailing NULs, no NUL inside, valid UTF-8. */
export function trackingIdOf(memo: unknown): string | null {
  const bytes = Buffer.from(memo as number[])
  let end = bytes.length
  while (end > 0 && bytes[end - 1] === 0) end--
  const content = bytes.subarray(0, end)
  if (content.length === 0 || content.includes(0)) return null
  const decoded = content.toString('utf8')
  return Buffer.from(decoded, 'utf8').equals(content) ? decoded : null
}
