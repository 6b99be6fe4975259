/** A time as people say it: `12 s`, `21 min`, `3 h 5 min`, `2 d 4 h`. */
export function sayAge(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  if (whole < 60) return `${whole} s`
  const minutes = Math.floor(whole / 60)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 24
    ? join(hours, 'h', minutes % 60, 'min')
    : join(Math.floor(hours / 24), 'd', hours % 24, 'h')
}

const join = (most: number, unit: string, rest: number, restUnit: string): string =>
  rest === 0 ? `${most} ${unit}` : `${most} ${unit} ${rest} ${restUnit}`

export const secondsSince = (at: Date): number => Math.max(0, (Date.now() - at.getTime()) / 1_000)
