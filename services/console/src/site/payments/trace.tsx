import type { Schemas } from '@payment-tracking/client'
import { Link } from 'wouter'
import { heldWords } from '../gateway/endpoint-words.js'
import { formatDuration } from '../show/format-time.js'
import { Badge, Time } from '../show/values.js'
import { stagesOf } from './stages.js'
import type { Payment } from './use-live-payments.js'

const DELIVERY_TONES = {
  delivered: 'good',
  failed: 'bad',
  cancelled: 'plain',
  pending: 'wait',
  waiting: 'wait',
} as const

export const toneOf = (state: string) =>
  state in DELIVERY_TONES ? DELIVERY_TONES[state as keyof typeof DELIVERY_TONES] : 'plain'

/** How long a stage took, after the one before it. */
export function Took({ ms }: { ms: number | null }) {
  if (ms === null || Number.isNaN(ms)) return null
  return <span className="took">{ms < 0 ? formatDuration(ms) : `+${formatDuration(ms)}`}</span>
}

/** The stages of a payment, from the chain to each receiver. */
export function Trace({ trace, event }: { trace: Schemas['PaymentTrace']; event: Payment | undefined }) {
  const { deliveries, awaiting = [], announced, stored } = trace
  const announcedAt = announced.at ?? stored.at
  return (
    <section className="panel" aria-label="Timeline">
      <h2>Timeline</h2>
      <ol className="timeline">
        {stagesOf(trace, event).map(({ title, isDone, at, tookMs, text }) => (
          <li key={title} className={isDone ? 'done' : 'open'}>
            <strong>{title}</strong> <Took ms={tookMs} />
            <br />
            <span className="quiet">
              {text}
              {at !== null && (
                <>
                  {' · '}
                  <Time at={at} />
                </>
              )}
            </span>
          </li>
        ))}
        {deliveries?.map(delivery => (
          <DeliveryStage key={String(delivery.deliveryId)} delivery={delivery} announcedAt={announcedAt} />
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
          <Link href="/sign-in">Sign in</Link> as its gateway to see the webhook deliveries too.
        </p>
      )}
    </section>
  )
}

type Delivery = NonNullable<Schemas['PaymentTrace']['deliveries']>[number]

function DeliveryStage({ delivery, announcedAt }: { delivery: Delivery; announcedAt: string | null }) {
  const { finishedAt, attempts, attemptLog, state, webhookId, deliveryId, heldReason } = delivery
  const tookMs =
    finishedAt === null || announcedAt === null ? null : Date.parse(finishedAt) - Date.parse(announcedAt)
  return (
    <li className={state === 'delivered' ? 'done' : 'open'}>
      <strong>
        Webhook{' '}
        <Link href={`/endpoints/${String(webhookId)}/deliveries/${String(deliveryId)}`}>
          {String(webhookId)}
        </Link>
      </strong>{' '}
      <Badge tone={toneOf(state)}>{state}</Badge> <Took ms={tookMs} />
      <br />
      <span className="quiet">
        {finishedAt && (
          <>
            <Time at={finishedAt} />
            {' · '}
          </>
        )}
        {heldReason && `${heldWords(heldReason)} · `}
        {String(attempts)} {Number(attempts) === 1 ? 'attempt' : 'attempts'}
        {attemptLog.map(({ number, statusCode, error, outcome }) => (
          <span key={String(number)}>
            {' · '}
            {String(number)}: {statusCode === null ? (error ?? outcome ?? 'on its way') : String(statusCode)}
          </span>
        ))}
      </span>
    </li>
  )
}
