// Keys of all pages: `?` tells them, `g` and a letter go to a page, `j` and `k` go from row to row.
import { useEffect, useRef } from 'react'
import { useLocation } from 'wouter'
import { isWriting } from './is-writing.js'

const PAGES: Readonly<Record<string, { href: string; title: string }>> = {
  o: { href: '/', title: 'Overview' },
  p: { href: '/payments', title: 'Payments' },
  x: { href: '/expected', title: 'Expected' },
  s: { href: '/subscriptions', title: 'Subscriptions' },
  c: { href: '/customers', title: 'Customers' },
  r: { href: '/revenue', title: 'Revenue' },
  e: { href: '/endpoints', title: 'Endpoints' },
}
/** A letter counts so long after `g`. */
const AFTER_G_MS = 1_500

const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ['/ or Ctrl K', 'find anything'],
  ['j and k', 'next and previous row of a list; Enter opens it'],
  ...Object.entries(PAGES).map(([key, { title }]) => [`g ${key}`, title] as const),
  ['?', 'these keys'],
]

/** @param step 1 for the next row, -1 for the one before. The link of the row gets the focus, so Enter opens it. */
function moveAmongRows(step: number): void {
  const links = [...document.querySelectorAll<HTMLElement>('main .row-link')]
  const now = links.findIndex(link => link === document.activeElement)
  const next = now < 0 ? links.at(step > 0 ? 0 : -1) : links[now + step]
  next?.focus()
}

export function Keys() {
  const dialog = useRef<HTMLDialogElement>(null)
  const afterG = useRef(0)
  const [, navigate] = useLocation()
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, target } = event
      if (ctrlKey || metaKey || altKey || isWriting(target) || document.querySelector('dialog[open]')) return
      const page = event.timeStamp - afterG.current < AFTER_G_MS ? PAGES[key] : undefined
      afterG.current = key === 'g' ? event.timeStamp : 0
      if (page) navigate(page.href)
      else if (key === '?') dialog.current?.showModal()
      else if (key === 'j' || key === 'k') moveAmongRows(key === 'j' ? 1 : -1)
      else return
      event.preventDefault()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [navigate])
  return (
    <dialog ref={dialog} aria-label="Keys" className="found">
      <h2>Keys</h2>
      <dl>
        {KEYS.map(([keys, does]) => (
          <div key={keys} className="field">
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  )
}
