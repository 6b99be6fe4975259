// The figures of the first page: what came in, how it changed, what is new, what is owed, what failed.
import { payments, overdueOf } from '../gateway/due.js'
import type { Whose } from '../session/whose.js'
import { changeOf } from './change.js'
import { Tile, TokenSums } from './tile.js'
import { DUE_DAYS, MOST_COUNTED, type GatewayOverview } from './use-gateway-overview.js'
import type { Overview } from './use-overview.js'

export const paymentsOfDay = ({ hours }: Overview): number =>
  hours.reduce((sum, { count }) => sum + Number(count), 0)

export function Tiles({
  overview,
  own,
  whose: { linkTo, isSignedIn },
}: {
  overview: Overview
  own: GatewayOverview | null
  whose: Whose
}) {
  const { lastMinute, byToken, before } = overview
  const ofDay = paymentsOfDay(overview)
  return (
    <div className="tiles">
      <Tile
        name="Volume in 24 hours"
        href={linkTo('/payments')}
        word="volume"
        figure={<TokenSums sums={byToken} />}
        isText
      >
        <VolumeChange overview={overview} />
      </Tile>
      <Tile name="Payments in 24 hours" href={linkTo('/payments')} figure={ofDay.toLocaleString('en-US')}>
        {changeOf(BigInt(ofDay), BigInt(before.count)) ?? 'nothing to compare with the day before'}
        {' · '}
        {Number(lastMinute.count).toLocaleString('en-US')}
        {lastMinute.complete ? '' : ' or more'} in the last minute
      </Tile>
      {isSignedIn ? (
        own && <GatewayTiles own={own} />
      ) : (
        <>
          <Tile name="Due and overdue" href="/sign-in" figure="Sign in" isText>
            to see what your customers owe you
          </Tile>
          <Tile name="Endpoints" href="/sign-in" figure="Sign in" isText>
            to see whether yours answer
          </Tile>
        </>
      )}
    </div>
  )
}

/** Of the volume: each token has its own change. */
function VolumeChange({ overview: { byToken, before } }: { overview: Overview }) {
  const [first] = byToken
  if (!first) return <>no payment in this time</>
  const earlier = before.byToken.find(({ tokenMint }) => tokenMint === first.tokenMint)
  const change = changeOf(BigInt(first.totalAmount), BigInt(earlier?.totalAmount ?? 0))
  return <>{change ?? 'nothing to compare with the day before'}</>
}

const NOT_ALLOWED = 'not for this key'

function GatewayTiles({
  own: { due, notPaid, created, endpoints, failedDeliveries },
}: {
  own: GatewayOverview
}) {
  const overdue = notPaid ? overdueOf(notPaid) : 0
  return (
    <>
      <Tile
        name="New subscriptions in 24 hours"
        href="/subscriptions"
        word="created"
        figure={created === null ? NOT_ALLOWED : counted(created)}
        isText={created === null}
      >
        created, whether paid or not
      </Tile>
      <Tile
        name={`Due in ${DUE_DAYS} days`}
        href="/revenue"
        word="due"
        figure={due ? <TokenSums sums={due.byToken} isAtLeast={!due.complete} /> : NOT_ALLOWED}
        isText
      >
        {due && `${due.complete ? '' : 'at least '}${payments(Number(due.total))}`}
      </Tile>
      <Tile
        name="Overdue"
        href="/customers?show=overdue"
        word="overdue"
        tone={overdue > 0 ? 'wait' : ''}
        figure={notPaid ? `${notPaid.complete ? '' : 'at least '}${payments(overdue)}` : NOT_ALLOWED}
        isText
      >
        {notPaid && dueNow(Number(notPaid.total) - overdue)}
      </Tile>
      <EndpointTile endpoints={endpoints} failedDeliveries={failedDeliveries} />
    </>
  )
}

const counted = (count: number): string => `${count}${count === MOST_COUNTED ? ' or more' : ''}`

const dueNow = (count: number): string =>
  count === 0 ? 'nothing else is due now' : `${payments(count)} due now, not overdue yet`

function EndpointTile({
  endpoints,
  failedDeliveries,
}: Pick<GatewayOverview, 'endpoints' | 'failedDeliveries'>) {
  const failing = endpoints?.filter(({ active, failingSince }) => active && failingSince !== null).length ?? 0
  const active = endpoints?.filter(each => each.active).length ?? 0
  return (
    <Tile
      name="Endpoints"
      href="/endpoints"
      word="failed deliveries"
      tone={failing > 0 ? 'bad' : ''}
      figure={
        endpoints === null
          ? NOT_ALLOWED
          : endpoints.length === 0
            ? 'none yet'
            : failing > 0
              ? `${failing} of ${active} ${failing === 1 ? 'fails' : 'fail'}`
              : `${active} healthy`
      }
      isText={endpoints === null}
    >
      {endpoints?.length === 0
        ? 'add one to be told of payments'
        : failedDeliveries === null
          ? 'webhooks of this gateway'
          : `${failedDeliveries === 0 ? 'no' : counted(failedDeliveries)} ${failedDeliveries === 1 ? 'delivery' : 'deliveries'} failed in 24 hours`}
    </Tile>
  )
}
