// Messages before it is decided which webhooks get them, and when.
import type { CommittedPayment, DeliveryRef } from '@payment-tracking/contracts'
import {
  lifecycleMessageId,
  PAYMENT_MESSAGE_TYPE,
  renderLifecycleMessage,
  renderPaymentMessage,
  renderTributaryMessage,
  route,
  type DeliveryMessage,
  type FilteredDetails,
  type Lifecycle,
  type LifecyclePolicy,
  type Route,
  type RoutedMessage,
} from '@payment-tracking/domain'
import type { Tx } from '../../core/database/sql.js'
import type { FeedNote } from '../../core/tables/feed-notes.js'
import { insertMessages, orderKeyOf, type Address, type EventMessage } from './insert-messages.js'
import type { NotifiedWebhook } from './notified-webhooks.js'
import { insertWaiting, writeLifecycle, type WaitingMessage } from '../waiting/waiting-messages.js'

/** Something to send, whatever number of webhooks gets it. */
export interface Message extends RoutedMessage {
  /** names the message among those that wait for a webhook: details that come can change the id of a payment's message */
  waitingId: string
  /** null for what time causes */
  eventId: string | null
  /** of the cause; null for what time causes */
  slot: number | null
  /** what happened to the policy; null for payments */
  lifecycle: Lifecycle | null
  trackingId: string | null
  /** what orders it where the webhook does not; absent: nothing */
  orderKey?: string
  /** null where the payment or the policy is not valid any more */
  known: FilteredDetails | null
  /** the same object for the same format */
  render(format: string): DeliveryMessage
}

export function messageOfPayment(payment: CommittedPayment): Message {
  const rendered = new Map<string, DeliveryMessage>()
  return {
    type: PAYMENT_MESSAGE_TYPE,
    policy: payment.paymentPolicy,
    waitingId: payment.eventId,
    eventId: payment.eventId,
    slot: payment.slot,
    lifecycle: null,
    trackingId: payment.trackingId,
    known: payment,
    render(format) {
      const render = format === 'tributary' ? renderTributaryMessage : renderPaymentMessage
      const message = rendered.get(format) ?? render(payment)
      rendered.set(format, message)
      return message
    },
  }
}

export function messageOfLifecycle(policy: LifecyclePolicy, lifecycle: Lifecycle): Message {
  let rendered: DeliveryMessage | undefined
  return {
    type: lifecycle.type,
    policy: policy.address,
    waitingId: lifecycleMessageId(policy, lifecycle),
    eventId: lifecycle.cause?.eventId ?? null,
    slot: lifecycle.cause?.slot ?? null,
    lifecycle,
    trackingId: policy.trackingId,
    known: policy,
    render: () => (rendered ??= renderLifecycleMessage(policy, lifecycle)),
  }
}

/** A message as the feed of a gateway has it: as a webhook without choices. */
export const feedNoteOf = (gateway: string, message: Message): FeedNote => ({
  ...message.render('standard'),
  gateway,
  eventId: message.eventId,
  lifecycle: message.eventId === null ? null : writeLifecycle(message.lifecycle),
})

/** Collects what is sent now and what waits, in the order of the calls, and writes both. */
export class RoutedMessages {
  readonly #addresses: Address[] = []
  readonly #messages: EventMessage[] = []
  readonly #numbers = new Map<DeliveryMessage, number>()
  readonly #waiting: WaitingMessage[] = []

  /** @param isFinal whether the cause is final */
  add(webhook: NotifiedWebhook, message: Message, isFinal: boolean): Route {
    const decided = route(webhook, message, message.known, isFinal)
    if (decided === 'send') this.#send(webhook, message)
    else if (decided !== 'drop') this.#waiting.push(waitingOf(webhook, message, decided))
    return decided
  }

  #send({ id, format, activation, orderedBy }: NotifiedWebhook, message: Message): void {
    const rendered = message.render(format)
    const number =
      this.#numbers.get(rendered) ?? this.#messages.push({ ...rendered, eventId: message.eventId })
    this.#numbers.set(rendered, number)
    const orderKey = orderKeyOf(orderedBy, message.trackingId) ?? message.orderKey ?? null
    this.#addresses.push({ webhookId: id, message: number, activation, orderKey })
  }

  /**
   * Writes the deliveries and what waits: at most one statement each. Takes no lock on webhooks: the deliveries of a
   * webhook that is turned off meanwhile are cancelled.
   * @param traceParents by event, when messages are traced
   */
  async write(tx: Tx, traceParents?: ReadonlyMap<string, string>): Promise<DeliveryRef[]> {
    await insertWaiting(tx, this.#waiting)
    return insertMessages(tx, this.#addresses, this.#messages, traceParents)
  }
}

function waitingOf(
  { id, format }: NotifiedWebhook,
  message: Message,
  decided: 'await-finality' | 'await-details',
): WaitingMessage {
  const { waitingId, eventId, policy, slot, type, lifecycle } = message
  const waitsFor = decided === 'await-finality' ? 'finality' : 'details'
  // The figures of a policy change until the event is final: the message has those of its event.
  const body = waitsFor === 'finality' && lifecycle !== null ? message.render(format).body : null
  return { webhookId: id, messageId: waitingId, eventId, policy, slot, type, lifecycle, body, waitsFor }
}
