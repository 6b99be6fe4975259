import type { Schemas } from '@payment-tracking/client'
import { Link } from 'wouter'
import { toneOf } from '../payments/trace.js'
import { Amount, Badge, ExactTime, Memo, shorten, type Tone } from '../show/values.js'

type Entry = Schemas['TimelineEntry']

const TITLES: Readonly<Record<Entry['type'], { title: string; tone: Tone }>> = {
  created: { title: 'Subscribed', tone: 'good' },
  paid: { title: 'Paid', tone: 'good' },
  paused: { title: 'Paused', tone: 'wait' },
  resumed: { title: 'Resumed', tone: 'good' },
  completed: { title: 'Completed', tone: 'plain' },
  status_changed: { title: 'Status changed', tone: 'plain' },
  deleted: { title: 'Ended', tone: 'bad' },
  overdue: { title: 'Overdue', tone: 'bad' },
  at_risk: { title: 'At risk', tone: 'wait' },
  at_risk_cleared: { title: 'No longer at risk', tone: 'good' },
  retracted: { title: 'Retracted', tone: 'bad' },
}

export function Timeline({ entries }: { entries: readonly Entry[] }) {
  return (
    <ol className="timeline">
      {entries.map((entry, nth) => (
        <Happened key={`${entry.type} ${entry.eventId ?? ''} ${String(entry.at)} ${nth}`} entry={entry} />
      ))}
    </ol>
  )
}

function Happened({ entry }: { entry: Entry }) {
  const { type, at, amount, tokenMint, trackingId, dueAt, cause, deliveries } = entry
  const { title, tone } = TITLES[type]
  return (
    <li className={tone === 'good' ? 'done' : 'open'}>
      <Badge tone={tone}>{title}</Badge>{' '}
      {amount !== null && (
        <strong>
          <Amount raw={amount} mint={tokenMint} />
        </strong>
      )}{' '}
      <Source entry={entry} />
      <br />
      <span className="quiet">
        <ExactTime at={at} />
        {trackingId !== null && (
          <>
            {' · '}
            <Memo value={trackingId} />
          </>
        )}
      </span>
      {dueAt !== null && (
        <p>
          Due <ExactTime at={dueAt} />
          {cause !== null && `: ${cause.replaceAll('_', ' ')}`}
          {type === 'overdue' && ', and not paid within the grace period'}.
        </p>
      )}
      {deliveries.length > 0 && (
        <ul className="notified">
          {deliveries.map(delivery => (
            <Notified key={String(delivery.id)} delivery={delivery} />
          ))}
        </ul>
      )}
    </li>
  )
}

/** Where the payment or the policy has a page. */
function Source({ entry: { type, signature, policyAddress } }: { entry: Entry }) {
  const isPayment = type === 'paid' || type === 'retracted'
  if (isPayment && signature !== null)
    return (
      <Link className="quiet" href={`/payments/${signature}`}>
        payment <code>{shorten(signature)}</code>
      </Link>
    )
  if (policyAddress === null) return null
  return (
    <Link className="quiet" href={`/subscriptions/${policyAddress}`}>
      policy <code>{shorten(policyAddress)}</code>
    </Link>
  )
}

function Notified({ delivery }: { delivery: Entry['deliveries'][number] }) {
  const { id, webhookId, type, status, attempts } = delivery
  return (
    <li className={status === 'delivered' ? 'done' : undefined}>
      <Link href={`/endpoints/${String(webhookId)}/deliveries/${String(id)}`}>{type}</Link> to endpoint{' '}
      {String(webhookId)} <Badge tone={toneOf(status)}>{status}</Badge>{' '}
      <span className="quiet">
        {String(attempts)} {attempts === 1 ? 'attempt' : 'attempts'}
      </span>
    </li>
  )
}
