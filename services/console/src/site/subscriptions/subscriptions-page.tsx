import { useQuery } from '@tanstack/react-query'
import { Link, useSearchParams } from 'wouter'
import { apiOf, ask } from '../api/request.js'
import { WithoutBlanks } from '../filters/without-blanks.js'
import { Meant } from '../find/meant.js'
import { canBeTrackingId } from '../show/is-key.js'
import { PageHead } from '../show/page-head.js'
import { Empty, Loaded } from '../show/states.js'
import { isLookup, LookupForm, type LookupProps } from './lookup-form.js'
import { FirstSubscriptions } from './own-subscriptions.js'
import { termsOf, type Subscription } from './policy-terms.js'
import { SubscriptionTable, type PolicyLine } from './subscription-table.js'

export function SubscriptionsPage() {
  const [parameters] = useSearchParams()
  // A short address for what terminals print.
  const gateway = parameters.get('gateway')
  const given = gateway === null ? parameters.get('by') : 'gatewayPublicKey'
  const lookup = {
    by: isLookup(given) ? given : ('trackingId' as const),
    value: gateway ?? parameters.get('value') ?? '',
    mint: parameters.get('mint') ?? '',
  }
  return (
    <>
      <PageHead title="Subscriptions" lead="Policies by which somebody pays, of every type." />
      <LookupForm key={parameters.toString()} {...lookup} />
      {lookup.value === '' ? <FirstSubscriptions /> : <Results {...lookup} />}
    </>
  )
}

const toLine = (subscription: Subscription): PolicyLine => {
  const { type, amount, frequency, nextDue } = termsOf(subscription)
  return {
    address: subscription.policyAddress,
    trackingId: subscription.memo || null,
    type: frequency ?? type,
    amount,
    tokenMint: subscription.tokenMint,
    status: subscription.status,
    dueState: subscription.dueState,
    nextDue,
    paymentCount: subscription.paymentCount,
  }
}

function Results({ by, value, mint }: LookupProps) {
  const query = useQuery({
    queryKey: ['subscriptions', by, value, mint],
    queryFn: async (): Promise<readonly Subscription[]> => {
      // What is pasted may be longer than any tracking ID.
      if (by === 'trackingId' && !canBeTrackingId(value)) return []
      const parameters =
        by === 'walletPublicKey' ? { walletPublicKey: value, tokenMint: mint } : { [by]: value }
      return (await ask(apiOf().GET('/v1/subscriptions', { params: { query: parameters } }))).data
    },
  })
  return (
    <section aria-label="Found subscriptions">
      <Loaded query={query}>
        {data =>
          data.length === 0 ? (
            <Empty title="No subscription was found">
              <Link href="/subscriptions">Begin again</Link>.
              <Meant text={value} />
              <WithoutBlanks parameter="value" />
            </Empty>
          ) : (
            <>
              <p role="status">
                {data.length.toLocaleString('en-US')} found{data.length === 1_000 ? ', the newest' : ''}.
              </p>
              <SubscriptionTable title="Subscriptions" lines={data.map(toLine)} />
            </>
          )
        }
      </Loaded>
    </section>
  )
}
