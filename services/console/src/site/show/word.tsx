import { useId, useState, type ReactNode } from 'react'
import { WORDS, type Word } from './words.js'

/**
 * A word with its meaning, shown to whoever points at it or reaches it by keyboard; Escape closes it.
 * @param children the word as this page writes it
 */
export function Defined({ word, children }: { word: Word; children?: ReactNode }) {
  const id = useId()
  const [isClosed, setClosed] = useState(false)
  const open = () => setClosed(false)
  return (
    <dfn
      className={isClosed ? 'defined closed' : 'defined'}
      tabIndex={0}
      aria-describedby={id}
      onKeyDown={event => event.key === 'Escape' && setClosed(true)}
      onBlur={open}
      onPointerLeave={open}
    >
      {children ?? word}
      <span className="meaning" role="tooltip" id={id}>
        {WORDS[word]}
      </span>
    </dfn>
  )
}

/** The meaning for what is a link or button already: it shows while the link is pointed at or has the focus. */
export function Meaning({ word, id }: { word: Word; id: string }) {
  return (
    <span className="meaning" role="tooltip" id={id}>
      {WORDS[word]}
    </span>
  )
}
