/** How a figure changed, in words: `12 % more than the day before`. @returns null where there is nothing to compare with */
export function changeOf(now: bigint, before: bigint): string | null {
  if (before === 0n) return null
  if (now === before) return 'the same as the day before'
  const [more, difference] = now > before ? ['more', now - before] : ['less', before - now]
  const percent = (difference * 1_000n + before / 2n) / before
  const text = percent < 100n ? `${Number(percent) / 10}` : ((percent + 5n) / 10n).toLocaleString('en-US')
  return `${text} % ${more} than the day before`
}
