// Light or dark: by the system, unless somebody chose. The choice is kept in this browser.
import { useState, useSyncExternalStore } from 'react'
import { keep, readKept } from '../browser-storage.js'

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const STORED = 'payment-tracking.theme'
const root = document.documentElement
const system = matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()
const notify = () => listeners.forEach(listener => listener())
system.addEventListener('change', notify)

const readTheme = (): Theme => {
  const stored = readKept(STORED)
  return THEMES.find(theme => theme === stored) ?? 'system'
}

function apply(theme: Theme): void {
  if (theme === 'system') delete root.dataset.theme
  else root.dataset.theme = theme
  notify()
}

/** To be called before the first drawing, so that the page does not blink. */
export const applyStoredTheme = (): void => apply(readTheme())

export function useTheme(): [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState(readTheme)
  return [
    theme,
    next => {
      keep(STORED, next)
      apply(next)
      setTheme(next)
    },
  ]
}

const isDark = (): boolean => (root.dataset.theme ?? (system.matches ? 'dark' : 'light')) === 'dark'

/** For what is drawn on a canvas, which does not follow the style by itself. */
export const useIsDark = (): boolean =>
  useSyncExternalStore(listener => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }, isDark)
