import { MOVEMENTS, type Movements as MovedParts } from '@payment-tracking/domain'
import { Type, type Static } from 'typebox'
import { Text } from '../http/fields.js'

const Moved = (description: string) => Text(`${description}, in the token's smallest unit`, '404000000')

export const Movements = Type.Object(
  {
    new: Moved('of wallets that never had any before'),
    expansion: Moved('more of wallets that had some'),
    contraction: Moved('less of wallets that still have some: 0 or negative'),
    churned: Moved('of wallets that have none any more: 0 or negative'),
    reactivated: Moved('of wallets that had none at the beginning, but some before'),
  },
  {
    title: 'RevenueMovements',
    description:
      'How `mrr` comes from the end of the bucket before, the first from `mrrAtStart`: that and the five add up to it, to the last digit.',
  },
)

export const toMovements = (moved: MovedParts): Static<typeof Movements> =>
  Object.fromEntries(MOVEMENTS.map(name => [name, moved[name].toString()])) as Static<typeof Movements>
