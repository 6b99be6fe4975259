// How many rows a desk shows: the choice is kept in this browser.
import { useState } from 'react'
import { keep, readKept } from '../browser-storage.js'

const STORED = 'payment-tracking.density'
const root = document.documentElement

const isCompact = (): boolean => readKept(STORED) === 'compact'

/** To be called before the first drawing, so that rows do not jump. */
export function applyStoredDensity(): void {
  if (isCompact()) root.dataset.density = 'compact'
  else delete root.dataset.density
}

export function DensitySwitch() {
  const [compact, setCompact] = useState(isCompact)
  const change = () => {
    keep(STORED, compact ? 'roomy' : 'compact')
    applyStoredDensity()
    setCompact(!compact)
  }
  return (
    <button type="button" className="outline density" aria-pressed={compact} onClick={change}>
      Compact rows
    </button>
  )
}
