// A long list is drawn in steps: what fits into the window at once, and the rest a few rows at a time. All at once, a hundred
// rows hold a slow phone up for half a second, in which nothing that is pressed answers.
import { startTransition, useEffect, useState } from 'react'

/** More than a window shows. */
const FIRST = 24
const STEP = 8

/** @returns how many of the rows are drawn now; in the end all of them */
export function useInSteps(total: number): number {
  const [drawn, setDrawn] = useState(FIRST)
  useEffect(() => {
    if (drawn >= total) return
    const timer = setTimeout(() => startTransition(() => setDrawn(drawn + STEP)))
    return () => clearTimeout(timer)
  }, [drawn, total])
  return drawn
}
