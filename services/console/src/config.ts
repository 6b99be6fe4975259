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
})
export type ConsoleConfig = Static<typeof ConsoleConfig>
