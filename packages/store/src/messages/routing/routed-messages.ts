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
import { logMessages, logPlaced, type LoggedMessage } from '../../core/tables/messages.js'
import { insertMessages, orderKeyOf, type Address, type AddressedMessage } from './insert-messages.js'
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
  /** of a payment: of its event, as text; null for all else */
  position: string | null
  trackingId: string | null
  /** what orders it where the webhook does not; absent: nothing */
  orderKey?: string
  /** null where the payment or the policy is not valid any more */
  known: FilteredDetails | null
  /** the same object for the same format */
  render(format: string): DeliveryMessage
}

/** The format whose payments are in another form than those of the log. */
const INCUMBENT = 'tributary'

export function messageOfPayment(payment: CommittedPayment): Message {
  let ours: DeliveryMessage | undefined
  let incumbents: DeliveryMessage | undefined
  return {
    type: PAYMENT_MESSAGE_TYPE,
    policy: payment.paymentPolicy,
    waitingId: payment.eventId,
    eventId: payment.eventId,
    slot: payment.slot,
    lifecycle: null,
    position: payment.position,
    trackingId: payment.trackingId,
    known: payment,
    render: format =>
      format === INCUMBENT
        ? (incumbents ??= renderTributaryMessage(payment))
        : (ours ??= renderPaymentMessage(payment)),
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
    position: null,
    trackingId: policy.trackingId,
    known: policy,
    render: () => (rendered ??= renderLifecycleMessage(policy, lifecycle)),
  }
}

/** A message as the log has it: as a webhook without choices gets it. */
function toLogged(gateway: string, message: Message): LoggedMessage {
  const { id, type, body } = message.render('standard')
  const { eventId, position } = message
  const lifecycle = eventId === null ? null : writeLifecycle(message.lifecycle)
  return { id, type, body, gateway, eventId, position, lifecycle }
}

/** Collects what is sent now and what waits, in the order of the calls, and writes both. */
export class RoutedMessages {
  readonly #addresses: Address[] = []
  readonly #messages: AddressedMessage[] = []
  /** by id: what waited for several webhooks is rendered once for each of them */
  readonly #numbers = new Map<string, number>()
  readonly #waiting: WaitingMessage[] = []

  /** @param isFinal whether the cause is final */
  add(webhook: NotifiedWebhook, message: Message, isFinal: boolean): Route {
    const decided = route(webhook, message, message.known, isFinal)
    if (decided === 'send') this.#send(webhook, message)
    else if (decided !== 'drop') this.#waiting.push(waitingOf(webhook, message, decided))
    return decided
  }

  #send({ id, gateway, format, activation, orderedBy }: NotifiedWebhook, message: Message): void {
    const rendered = message.render(format)
    const isOwnForm = format === INCUMBENT && message.type === PAYMENT_MESSAGE_TYPE
    const key = `${rendered.id} ${isOwnForm}`
    const number =
      this.#numbers.get(key) ??
      this.#messages.push({
        ...rendered,
        gateway,
        eventId: message.eventId,
        position: message.position,
        isOwnForm,
      })
    this.#numbers.set(key, number)
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

/** The same of what is new: it is in the log of its gateway first. */
export class ToldMessages extends RoutedMessages {
  readonly #placed: LoggedMessage[] = []
  readonly #later: LoggedMessage[] = []

  /** Tells a gateway, whether it has webhooks or not. @param isPlaced a payment of the batch that is being stored */
  log(gateway: string, message: Message, isPlaced = false): void {
    const to = isPlaced ? this.#placed : this.#later
    to.push(toLogged(gateway, message))
  }

  override async write(tx: Tx, traceParents?: ReadonlyMap<string, string>): Promise<DeliveryRef[]> {
    await logPlaced(tx, this.#placed)
    await logMessages(tx, this.#later)
    return super.write(tx, traceParents)
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
