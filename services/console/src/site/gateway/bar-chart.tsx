// Bars with their numbers: the picture is for the eye, the table below says the same to everybody.
import { formatAmount } from '../show/format-amount.js'

export interface Bar {
  label: string
  amount: string
}

const WIDTH = 720
const HEIGHT = 160

/** @param decimals null when the token is not known: the bars then show raw amounts */
export function BarChart({
  title,
  bars,
  decimals,
  symbol,
}: {
  title: string
  bars: readonly Bar[]
  decimals: number | null
  symbol: string
}) {
  const show = (amount: string) => `${decimals === null ? amount : formatAmount(amount, decimals)} ${symbol}`
  const most = bars.reduce((top, { amount }) => (BigInt(amount) > top ? BigInt(amount) : top), 1n)
  // In thousandths, before the numbers become doubles: they may be larger than those hold.
  const shareOf = (amount: string) => Number((BigInt(amount) * 1_000n) / most) / 1_000
  const step = WIDTH / Math.max(1, bars.length)
  return (
    <figure className="chart">
      <figcaption>
        {title} <span className="quiet">highest {show(most.toString())}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}; the table has the numbers`}
      >
        {bars.map(({ label, amount }, index) => (
          <rect
            key={label}
            x={index * step + 1}
            width={Math.max(1, step - 2)}
            y={HEIGHT - Math.max(1, shareOf(amount) * HEIGHT)}
            height={Math.max(1, shareOf(amount) * HEIGHT)}
          >
            <title>{`${label}: ${show(amount)}`}</title>
          </rect>
        ))}
      </svg>
      <div className="row quiet">
        <span>{bars[0]?.label}</span>
        <span className="right">{bars.at(-1)?.label}</span>
      </div>
    </figure>
  )
}
