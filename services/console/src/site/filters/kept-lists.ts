// Lists that somebody saved by name, kept in this browser alone.
import { useSyncExternalStore } from 'react'
import { keep, readKept } from '../browser-storage.js'

interface KeptList {
  name: string
  /** the page, below `/console` */
  path: string
  /** its filters, without the question mark */
  filters: string
}

const STORED = 'payment-tracking.lists'
const MOST = 100
const NONE: readonly KeptList[] = []
const listeners = new Set<() => void>()
let read: { text: string | null; lists: readonly KeptList[] } = { text: null, lists: NONE }

const isKept = (value: unknown): value is KeptList =>
  typeof value === 'object' &&
  value !== null &&
  ['name', 'path', 'filters'].every(field => typeof (value as Record<string, unknown>)[field] === 'string')

/** The same object while nothing has changed, also by another tab. */
function readLists(): readonly KeptList[] {
  const text = readKept(STORED)
  if (text === read.text) return read.lists
  let lists = NONE
  try {
    const stored: unknown = JSON.parse(text ?? '[]')
    if (Array.isArray(stored)) lists = stored.filter(isKept)
  } catch {
    // Whatever wrote it, it is no list.
  }
  read = { text, lists }
  return lists
}

function write(lists: readonly KeptList[]): void {
  keep(STORED, JSON.stringify(lists.slice(-MOST)))
  listeners.forEach(listener => listener())
}

const isSame = (one: KeptList, other: Omit<KeptList, 'filters'>) =>
  one.path === other.path && one.name === other.name

/** A name that is used again for a page takes the new filters. */
export const keepList = (list: KeptList): void =>
  write([...readLists().filter(each => !isSame(each, list)), list])

export const forgetList = (list: KeptList): void => write(readLists().filter(each => !isSame(each, list)))

export const useKeptLists = (): readonly KeptList[] =>
  useSyncExternalStore(listener => {
    listeners.add(listener)
    addEventListener('storage', listener)
    return () => {
      listeners.delete(listener)
      removeEventListener('storage', listener)
    }
  }, readLists)
