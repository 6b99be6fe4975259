import { Type } from 'typebox'

/** How much a gateway may redeliver: the API refuses what is more, and workers go on with it the next day. */
export const RedeliveryConfig = {
  WEBHOOK_REDELIVERIES_PER_DAY: Type.Integer({
    default: 100_000,
    minimum: 1,
    maximum: 2_000_000_000,
    description: 'deliveries a gateway may redeliver in a day (UTC)',
  }),
}
