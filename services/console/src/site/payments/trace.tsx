import type { Schemas } from '@payment-tracking/client'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { Badge, Time } from '../show/values.js'
import type { Payment } from './use-live-payments.js'

interface Stage {
  title: string
  isDone: boolean
  at: ReactNode
  text: ReactNode
}

const DELIVERY_TONES = {
  delivered: 'good',
  failed: 'bad',
  cancelled: 'plain',
  pending: 'wait',
  waiting: 'wait',
} as const

export const toneOf = (state: string) =>
  state in DELIVERY_TONES ? DELIVERY_TONES[state as keyof typeof DELIVERY_TONES] : 'plain'

/** The stages of a payment, from the chain to each receiver. */
export function Trace({ trace, event }: { trace: Schemas['PaymentTrace']; event: Payment | undefined }) {
  const { chain, stream, stored, announced, deliveries, awaiting = [] } = trace
  const stages: Stage[] = [
    {
      title: 'Executed on the chain',
      isDone: true,
      at: <Time at={chain.timestamp} />,
      text: `slot ${String(chain.slot)}`,
    },
    {
      title: 'Published on the stream',
      isDone: true,
      at: null,
      text: stream.sequence === null ? 'sequence unknown' : `sequence ${String(stream.sequence)}`,
    },
    {
      title: 'Stored',
      isDone: true,
      at: <Time at={stored.at} />,
      text: stored.seq === null ? 'without a tracking ID' : `number ${String(stored.seq)} of its tracking ID`,
    },
    {
      title: 'Announced to sockets and webhooks',
      isDone: announced.done,
      at: announced.at && <Time at={announced.at} />,
      text: announced.done ? 'done' : 'still to do',
    },
    {
      title: event?.retracted ? 'Retracted by the chain' : 'Finalized by the chain',
      isDone: Boolean(event?.retracted) || event?.finality === 'finalized',
      at: null,
      text: event?.retracted
        ? 'the finalized chain does not hold this transaction'
        : event?.finality === 'finalized'
          ? 'nobody can take it back'
          : 'a confirmed transaction can still be retracted',
    },
  ]
  return (
    <section aria-label="What became of it">
      <h3>What became of it</h3>
      <ol className="timeline">
        {stages.map(({ title, isDone, at, text }) => (
          <li key={title} className={isDone ? 'done' : 'open'}>
            <strong>{title}</strong> {at}
            <br />
            <span className="quiet">{text}</span>
          </li>
        ))}
        {deliveries?.map(delivery => (
          <li key={String(delivery.deliveryId)} className={delivery.state === 'delivered' ? 'done' : 'open'}>
            <strong>
              Webhook{' '}
              <Link
                href={`/endpoints/${String(delivery.webhookId)}/deliveries/${String(delivery.deliveryId)}`}
              >
                {String(delivery.webhookId)}
              </Link>
            </strong>{' '}
            <Badge tone={toneOf(delivery.state)}>{delivery.state}</Badge>{' '}
            {delivery.finishedAt && <Time at={delivery.finishedAt} />}
            <br />
            <span className="quiet">
              {String(delivery.attempts)} {Number(delivery.attempts) === 1 ? 'attempt' : 'attempts'}
              {delivery.attemptLog.map(({ number, statusCode, outcome }) => (
                <span key={String(number)}>
                  {' · '}
                  {String(number)}: {statusCode === null ? (outcome ?? 'on its way') : String(statusCode)}
                </span>
              ))}
            </span>
          </li>
        ))}
        {awaiting.map(({ webhookId, awaits }) => (
          <li key={`${String(webhookId)} ${awaits}`} className="open">
            <strong>
              Webhook <Link href={`/endpoints/${String(webhookId)}`}>{String(webhookId)}</Link>
            </strong>{' '}
            <Badge tone="wait">waiting</Badge>
            <br />
            <span className="quiet">
              {awaits === 'facts'
                ? 'until the recipient and token that its filters need are known'
                : 'until the payment is final'}
            </span>
          </li>
        ))}
      </ol>
      {deliveries === undefined && (
        <p className="quiet">
          <Link href="/endpoints">Sign in</Link> as its gateway to see the webhook deliveries too.
        </p>
      )}
    </section>
  )
}
