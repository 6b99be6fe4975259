import type { ReactNode } from 'react'

/** Numbers that stand beside each other, each under its name. */
export function Figures({ figures }: { figures: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="figures">
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
