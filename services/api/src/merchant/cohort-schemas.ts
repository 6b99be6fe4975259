import { Type } from 'typebox'
import { Integer, KnownSince, Nullable, PublicKey, Text } from '../http/fields.js'
import { Amount, TokenMint } from './merchant-schemas.js'

const Cohort = Type.Object(
  {
    month: Text('of the first payment in this token, in UTC', '2026-03'),
    wallets: Integer('that paid first then', 12),
    months: Type.Array(
      Type.Object(
        {
          monthsSince: Integer('0 is the month of the first payment', 1),
          wallets: Integer('of the cohort, that paid in this month', 9),
          volume: Amount('of their payments in it'),
        },
        { title: 'CohortMonth' },
      ),
      { description: 'Each month up to now.' },
    ),
  },
  { title: 'Cohort' },
)

const cohorts = Type.Array(Cohort, { description: 'Oldest first.' })

export const Cohorts = Type.Object(
  {
    tokenMint: Nullable(PublicKey('the first of `byToken`, which `cohorts` is of')),
    cohorts,
    byToken: Type.Array(
      Type.Object(
        {
          tokenMint: TokenMint,
          decimals: Nullable(Integer('of the token, when this service knows it', 6)),
          cohorts,
        },
        { title: 'TokenCohorts' },
      ),
      {
        description:
          'The tokens of `TOKENS` first, those with most payments first, then the others by the number of wallets. Amounts of tokens are never added.',
      },
    ),
    knownSince: KnownSince(),
    complete: Type.Boolean({
      description:
        'false when not all is told: cohorts of the last 120 months, 10,000 payments of a wallet, 1,000 tokens, and 40,000 months of all cohorts',
    }),
  },
  { title: 'Cohorts' },
)
