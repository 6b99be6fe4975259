// One box that finds anything by what names it, from every page: `/` or Ctrl-K opens it.
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState, type FormEvent, type KeyboardEvent as Press } from 'react'
import { Link, useLocation } from 'wouter'
import { apiOf, ask } from '../api/request.js'
import { useSession } from '../session/session.js'
import { Icon } from '../show/icon.js'
import { Failure } from '../show/states.js'
import { shorten, Written } from '../show/values.js'
import { nameOf, pathOf, withoutTwins, type Found } from './find-path.js'

const LONG = 32

/** A tracking ID may begin and end with blanks; nothing else that can be found does. */
const find = async (text: string): Promise<Found[]> => {
  const found = withoutTwins(await ask(apiOf().GET('/v1/search', { params: { query: { q: text } } })))
  return found.length > 0 || text === text.trim() ? found : find(text.trim())
}

/** Whether somebody is writing, so that `/` is a letter. */
const isWriting = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]')

function useShortcut(open: () => void): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const isControlK = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey
      const isSlash =
        event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey && !isWriting(event.target)
      if (!isControlK && !isSlash) return
      event.preventDefault()
      open()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [open])
}

export function FindBox() {
  const dialog = useRef<HTMLDialogElement>(null)
  const [open] = useState(() => () => {
    // Another dialog asks for a decision first.
    if (!document.querySelector('dialog[open]')) dialog.current?.showModal()
  })
  useShortcut(open)
  return (
    <>
      <button type="button" className="outline find" aria-keyshortcuts="/ Control+K" onClick={open}>
        <Icon name="find" />
        <span className="word">Find anything</span>
        <kbd aria-hidden="true">/</kbd>
      </button>
      <dialog ref={dialog} aria-label="Find anything" className="found">
        <Finder close={() => dialog.current?.close()} />
      </dialog>
    </>
  )
}

function Finder({ close }: { close: () => void }) {
  const { session } = useSession()
  const [, navigate] = useLocation()
  const [text, setText] = useState('')
  const list = useRef<HTMLUListElement>(null)
  const own = session?.gateway ?? null
  const search = useMutation({ mutationFn: find })
  const go = () => {
    close()
    setText('')
    search.reset()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() === '') return
    search.mutate(text, {
      onSuccess: found => {
        const [only] = found
        if (found.length !== 1 || !only) return
        go()
        navigate(pathOf(only, own))
      },
    })
  }
  const found = search.data ?? []
  const isMany = found.length > 1
  useEffect(() => {
    if (isMany) list.current?.querySelector('a')?.focus()
  }, [isMany, search.submittedAt])
  return (
    <>
      <form role="search" aria-label="Find anything" className="line" onSubmit={submit}>
        <input
          autoFocus
          aria-label="Signature, tracking ID, address or ID"
          placeholder="Signature, tracking ID, address or ID"
          maxLength={200}
          spellCheck={false}
          autoComplete="off"
          value={text}
          onChange={event => {
            setText(event.target.value)
            if (!search.isIdle) search.reset()
          }}
        />
        <button type="submit" aria-busy={search.isPending}>
          Find
        </button>
      </form>
      <div role="status" className="tight">
        {search.isSuccess && found.length === 0 && <NothingFound isSignedIn={session !== null} />}
        {isMany && <p className="quiet">{found.length} results.</p>}
      </div>
      {isMany && (
        <ul ref={list} className="hits" aria-label="What was found" onKeyDown={moveAmongLinks}>
          {found.map(hit => (
            <li key={`${hit.kind} ${hit.id}`}>
              <Link href={pathOf(hit, own)} onClick={go}>
                <strong>{nameOf(hit)}</strong>
                <span className="quiet">
                  <Written value={hit.name ?? (hit.id.length > LONG ? shorten(hit.id) : hit.id)} />
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
      <Failure error={search.error} />
    </>
  )
}

/** Arrows move as Tab does. */
function moveAmongLinks(event: Press<HTMLUListElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step === undefined) return
  event.preventDefault()
  const links = [...event.currentTarget.querySelectorAll('a')]
  const now = links.findIndex(link => link === document.activeElement)
  links.at((now + step + links.length) % links.length)?.focus()
}

function NothingFound({ isSignedIn }: { isSignedIn: boolean }) {
  return (
    <>
      <p>No results. Searches match exactly, including case.</p>
      <p className="quiet">
        A signature, a tracking ID and the address of a wallet, a policy or a gateway can be found
        {isSignedIn
          ? '; of this gateway also an endpoint by its ID or a part of its URL, a delivery by its ID or webhook-id, and an expected payment by its ID or tracking ID.'
          : '. Sign in to find endpoints, deliveries and expected payments too.'}
      </p>
    </>
  )
}
