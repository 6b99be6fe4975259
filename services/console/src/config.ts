import { CommonConfig } from '@payment-tracking/runtime'
import { Type, type Static } from 'typebox'

export const ConsoleConfig = Type.Object({
  ...CommonConfig,
  HOST: Type.String({ default: '127.0.0.1', description: 'where the pages are served' }),
  PORT: Type.Integer({
    default: 3006,
    minimum: 0,
    maximum: 65535,
    description: 'where the pages are served; 0 takes a free port',
  }),
  EXPLORER_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^\\s"<>]*\\{value\\}[^\\s"<>]*$',
      description:
        'makes addresses and transactions of the pages links to a block explorer, {kind} is address or tx: https://explorer.solana.com/{kind}/{value}',
    }),
  ),
})
export type ConsoleConfig = Static<typeof ConsoleConfig>
