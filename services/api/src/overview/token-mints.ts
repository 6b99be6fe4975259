import { Type } from 'typebox'
import { READ_REFUSALS } from '../http/error-answer-schema.js'
import { Integer, PublicKey, Text } from '../http/fields.js'
import type { AddRoutes } from '../route-parts.js'

const TokenMint = Type.Object(
  {
    tokenMint: PublicKey('the token'),
    symbol: Text('its short name', 'USDC'),
    decimals: Integer('digits of an amount behind the point', 6),
  },
  { title: 'TokenMint' },
)

/** The tokens that `TOKENS` names, for pages that show amounts. */
export const tokenMintsRoute: AddRoutes = (app, { tokens }) => {
  app.get(
    '/v1/token-mints',
    {
      config: { reads: 'nothing' },
      schema: {
        operationId: 'listTokenMints',
        tags: ['payments'],
        summary: 'List known tokens',
        description:
          'Those whose symbol and decimals this service knows, by its setting `TOKENS`. Amounts of all other tokens have no decimals here.',
        querystring: Type.Object({}),
        response: { 200: Type.Array(TokenMint), ...READ_REFUSALS },
      },
    },
    () => [...tokens].map(([tokenMint, token]) => ({ tokenMint, ...token })),
  )
}
