// One box that finds anything by what names it, from every page: `/` or Ctrl-K opens it.
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState, type FormEvent, type KeyboardEvent as Press } from 'react'
import { useLocation } from 'wouter'
import { useSession } from '../session/session.js'
import { isWriting } from '../shell/is-writing.js'
import { Icon } from '../show/icon.js'
import { Failure } from '../show/states.js'
import { isWholeName, pathOf } from './find-path.js'
import { find } from './find.js'
import { Hit } from './hits.js'
import { RULE, RULE_OF_GATEWAY } from './rule.js'

/** What is typed is sought after a pause, from so many characters on: a shorter text is sought when asked. */
const PAUSE_MS = 250
const LEAST_TYPED = 3

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

const isShort = (text: string): boolean => text.trim() !== '' && text.trim().length < LEAST_TYPED

/** The text once nobody has typed for a moment. */
function usePaused(text: string): string {
  const [paused, setPaused] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setPaused(isShort(text) ? '' : text), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return paused
}

function Finder({ close }: { close: () => void }) {
  const { session } = useSession()
  const [, navigate] = useLocation()
  const [text, setText] = useState('')
  /** what Enter asked for */
  const [asked, setAsked] = useState('')
  const list = useRef<HTMLUListElement>(null)
  const own = session?.gateway ?? null
  const paused = usePaused(text)
  const sought = text === asked ? asked : paused
  const search = useQuery({
    // Under the gateway's own key, so that signing out forgets the hits.
    queryKey: ['gateway', own, 'find', sought],
    queryFn: () => find(sought),
    enabled: sought !== '' && text !== '',
    // Hits stay while one types on, but not those of another gateway.
    placeholderData: (hits, before) => (before?.queryKey[1] === own ? hits : undefined),
  })
  const go = () => {
    close()
    setText('')
    setAsked('')
  }
  const isAnswered = search.isSuccess && !search.isPlaceholderData && sought === text && text !== ''
  const found = text === '' ? [] : (search.data ?? [])
  const isAsked = isAnswered && asked === text
  useEffect(() => {
    if (!isAsked) return
    const [only] = found
    // Only a whole name is followed at once: a number or a part of a text can mean more than what was found.
    if (found.length === 1 && only && isWholeName(only, text)) {
      go()
      navigate(pathOf(only, own))
    } else list.current?.querySelector('a')?.focus()
    // oxlint-disable-next-line react/exhaustive-deps
  }, [isAsked])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() !== '') setAsked(text)
  }
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
            setAsked('')
          }}
          onKeyDown={event => {
            if (event.key !== 'ArrowDown') return
            event.preventDefault()
            list.current?.querySelector('a')?.focus()
          }}
        />
        <button type="submit" aria-busy={search.isFetching}>
          Find
        </button>
      </form>
      <div role="status" className="tight">
        {!isAnswered && isShort(text) && (
          <p className="quiet">
            Enter finds less than {LEAST_TYPED} characters, such as the ID of a delivery.
          </p>
        )}
        {isAnswered && found.length === 0 && <NothingFound isSignedIn={session !== null} />}
        {isAnswered && found.length > 0 && (
          <p className="quiet">{found.length === 1 ? '1 result.' : `${found.length} results.`}</p>
        )}
      </div>
      {found.length > 0 && (
        <ul ref={list} className="hits" aria-label="What was found" onKeyDown={moveAmongLinks}>
          {found.map(hit => (
            <Hit key={`${hit.kind} ${hit.id}`} hit={hit} own={own} onFollow={go} />
          ))}
        </ul>
      )}
      <Failure error={text === '' ? null : search.error} />
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
      <p>No results. {isSignedIn ? RULE_OF_GATEWAY : RULE}</p>
      <p className="quiet">
        A signature, a tracking ID and the address of a wallet, a policy or a gateway can be found
        {isSignedIn
          ? '; of this gateway also an endpoint by its ID or a part of its URL, a delivery by its ID or webhook-id, and an expected payment by its ID, tracking ID or reference.'
          : '. Sign in to find endpoints, deliveries and expected payments too.'}
      </p>
    </>
  )
}
