// Which rows of the gate are worse than the committed table says.

/** The limit's CPU for an operation over the subject's, by row: larger is better, 1 is the limit. */
export type Ratios = Record<string, number>

/** A row fails when it has less than this share of its ratio in the table. */
export const KEPT_SHARE = 0.75

export const BESIDE_EXPECTATIONS = 'ingest beside 100,000 open expectations'

/** Ratios that are promised, whatever the table says. */
const PROMISED: Ratios = { [BESIDE_EXPECTATIONS]: 0.97, 'webhooks, endpoints: 10': 0.5 }

/** @returns the rows of `measured` that lost more than the table allows; a row that the table lacks is one of them */
export const findFallen = (measured: Ratios, table: Ratios, keptShare = KEPT_SHARE): string[] =>
  Object.entries(measured)
    .filter(([name, ratio]) => !(ratio >= (PROMISED[name] ?? (table[name] ?? Infinity) * keptShare)))
    .map(([name]) => name)

/** @returns names that stand in the table and were not measured */
export const findMissing = (measured: Ratios, table: Ratios): string[] =>
  Object.keys(table).filter(name => !(name in measured))

/** The better of two measurements of each row. */
export const bestOf = (one: Ratios, other: Ratios): Ratios => ({
  ...one,
  ...Object.fromEntries(
    Object.entries(other).map(([name, ratio]) => [name, Math.max(ratio, one[name] ?? 0)]),
  ),
})
