// One request of a delivery that is in no database.
import type { ClaimedDelivery } from '@payment-tracking/store/deliveries'
import { openDeadlines } from '../../src/requests/deadlines.js'
import { sendDelivery, type Answer, type SendOptions } from '../../src/requests/send-delivery.js'

/** Each name leads to this machine, where `resolve` says nothing else. */
export const sendOne = (
  endpointUrl: string,
  options: Pick<SendOptions, 'connections'> & Partial<SendOptions>,
  mayBegin?: () => boolean,
): Promise<Answer> =>
  sendDelivery(
    {
      messageId: 'msg_1',
      body: '{}',
      secrets: ['whsec_AAAA'],
      startedAt: new Date(),
      headers: null,
      endpointUrl,
    } as unknown as ClaimedDelivery,
    {
      allowPrivateTargets: true,
      userAgent: 'test',
      resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
      deadlines: openDeadlines(5_000),
      ...options,
    },
    mayBegin,
  )
