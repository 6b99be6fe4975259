import { ask } from '../api/request.js'
import { useGatewayQuery } from '../session/use-gateway.js'
import { dueSpan } from './due.js'

const LISTED = 20

/** What customers owe in a span, in days from now; all cards of a page share one answer. @param fromDays null since ever */
export const useDue = (fromDays: number | null, toDays: number) =>
  useGatewayQuery(['due', fromDays, toDays], ({ api, gateway }) =>
    ask(
      api.GET('/v1/gateway/{gateway}/merchant/upcoming', {
        params: { path: { gateway }, query: { ...dueSpan(fromDays, toDays), limit: LISTED } },
      }),
    ),
  )

/** Due and not paid: since ever, up to now. A payment is owed until it comes. */
export const useNotPaid = () => useDue(null, 0)
