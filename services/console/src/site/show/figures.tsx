import type { ReactNode } from 'react'
import { sentenceCase } from './sentence-case.js'
import { Defined } from './word.js'
import type { Word } from './words.js'

/** Numbers that stand beside each other, each under its name; a name that is a word of `words.ts` shows its meaning. */
export function Figures({
  figures,
}: {
  figures: readonly (readonly [name: string, value: ReactNode, word?: Word])[]
}) {
  return (
    <dl className="figures">
      {figures.map(([name, value, word]) => (
        <div key={name}>
          <dt>{word ? <Defined word={word}>{sentenceCase(name)}</Defined> : sentenceCase(name)}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
