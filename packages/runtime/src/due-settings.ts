import { Type } from 'typebox'

/** When a payment that is due counts as overdue: the same in answers, webhooks and on sockets. */
export const OverdueConfig = {
  OVERDUE_GRACE_SECONDS: Type.Integer({
    default: 7_200,
    minimum: 0,
    description: 'how long after its due date a payment is due before it is overdue',
  }),
}

/** What the services that notify of due dates share. */
export const DueConfig = {
  DUE_SOON_SECONDS: Type.Integer({
    default: 259_200,
    minimum: 0,
    description: 'how long before a due date webhooks and sockets are told that it comes near',
  }),
  ...OverdueConfig,
}
