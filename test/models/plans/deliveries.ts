// What deliveries.qnt is searched with, and its mutants.
import type { Bounds, ModelPlan } from '../model-plan.js'

const ONE_DELIVERY: Bounds = { DELIVERIES: 'Set(1)', ORDERED: 'false' }
const IN_ORDER: Bounds = { WORKERS: 'Set(1)', REDELIVERIES: '0', MOST_ATTEMPTS: '2' }

export const DELIVERIES: ModelPlan = {
  name: 'deliveries',
  searches: [ONE_DELIVERY, IN_ORDER],
  mutants: [
    {
      name: 'a claim without an end',
      find: 'EXPIRES = true',
      replace: 'EXPIRES = false',
      breaks: 'neverStuck',
      bounds: ONE_DELIVERY,
    },
    {
      name: 'a claim of what another worker holds',
      find: 's.rows.get(d).due, s.rows.get(d).isUnclaimed(),',
      replace: 's.rows.get(d).due,',
      breaks: 'oneSender',
      bounds: ONE_DELIVERY,
    },
    {
      name: 'a request before its attempt is a row',
      find: 'attempts: taken.attempts.set((d, number), "open"),',
      replace: '',
      breaks: 'recorded',
      bounds: ONE_DELIVERY,
    },
    {
      name: 'a claim that does not look whether the delivery is live',
      find: 'if (not(st.isLive(d)))',
      replace: 'if (false)',
      breaks: 'nothingAfterOff',
      bounds: ONE_DELIVERY,
    },
    {
      name: 'a try beyond the last',
      find: 'else if (row.attempts >= row.allowed)',
      replace: 'else if (row.attempts > row.allowed)',
      breaks: 'bounded',
      bounds: ONE_DELIVERY,
    },
    {
      name: 'a claim that passes over an earlier delivery',
      find: 'else if (st.hasEarlier(d))',
      replace: 'else if (false)',
      breaks: 'inOrder',
      bounds: IN_ORDER,
    },
    {
      name: 'a hold that uses up a try',
      find: 's\' = s.ofRow(d, { ...s.rows.get(d), state: "waiting", due: false, behind: false }),',
      replace:
        's\' = s.ofRow(d, { ...s.rows.get(d), state: "waiting", attempts: s.rows.get(d).attempts + 1, due: false, behind: false }),',
      breaks: 'bounded',
      bounds: ONE_DELIVERY,
    },
    {
      name: 'a claim that is put back and uses up a try',
      find: 'state: "waiting", attempts: row.attempts - 1,',
      replace: 'state: "waiting",',
      breaks: 'bounded',
      bounds: ONE_DELIVERY,
    },
    {
      name: 'a late return of a claim that ends the claim of a later attempt',
      find: ' and work.number == row.attempts',
      replace: '',
      breaks: 'bounded',
      bounds: ONE_DELIVERY,
    },
    {
      name: 'a late failure that resumes what was cancelled',
      find: 'val after = if (isAccepted or st.isLive(d)) nextOf(work) else "cancelled"',
      replace: 'val after = nextOf(work)',
      breaks: 'neverResumed',
      bounds: ONE_DELIVERY,
    },
    {
      name: 'a late failure that ends the claim of a later attempt',
      find: 'row.attempts == work.number and row.claim != "none"',
      replace: 'row.claim != "none"',
      breaks: 'oneSender',
      bounds: ONE_DELIVERY,
    },
    {
      name: 'a late failure that ends a round that was just opened',
      find: ' and row.claim != "none"',
      replace: '',
      breaks: 'attempted',
      bounds: ONE_DELIVERY,
    },
    {
      name: 'turning on without a new activation',
      find: 'active: true, activation: s.activation + 1',
      replace: 'active: true',
      breaks: 'neverResumed',
      bounds: ONE_DELIVERY,
    },
    {
      name: 'a redelivery of what a worker is sending',
      find: 's.active, s.redeliveries < REDELIVERIES, s.rows.get(d).isUnclaimed(),',
      replace: 's.active, s.redeliveries < REDELIVERIES,',
      breaks: 'oneSender',
      bounds: ONE_DELIVERY,
    },
  ],
}
