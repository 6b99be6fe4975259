// What the words of figures mean. Every card, list and chart takes a word from here, so that it has one meaning on all pages.
// The service counts by the same rules: docs/existing-clients.md.

export const WORDS = {
  volume: 'The sum of the payments at face value, before fees. Amounts of different tokens are never added.',
  active: 'A subscription that is neither paused, completed nor deleted, whether it was paid or not.',
  paused: 'A subscription that takes no payments until it is resumed.',
  completed: 'A subscription that has had all of its payments.',
  due: 'A payment that an active subscription or one-time policy asks for on its date. A date in the past counts until it is paid, and once: dates that were missed before are not made up for.',
  overdue:
    'Due and not paid, and past its date by more than the grace (2 hours, unless the operator changed it). Until then a payment is due, not overdue.',
  'at risk': 'A due payment that will fail as things stand, for example because the wallet has too little.',
  subscribers: 'Wallets with an active subscription, each counted once.',
  joined:
    'Wallets with an active subscription at the end of the period and none at its beginning. Who joins and leaves within one period is in neither figure.',
  left: 'Wallets with an active subscription at the beginning of the period and none at its end.',
  churn:
    'Of the wallets with an active subscription when the span begins, those without one when it ends. Who joined and left within the span is not counted.',
  new: 'Revenue of wallets that never had a subscription before.',
  expansion: 'More revenue from wallets that had a subscription already.',
  contraction: 'Less revenue from wallets that keep a subscription.',
  churned: 'Revenue of wallets that have no subscription any more.',
  reactivated: 'Revenue of wallets that have a subscription again.',
  'monthly recurring':
    'What the active subscriptions that were paid at least once come to in a month of 30.4 days.',
  created: 'Subscriptions and other policies created in the last 24 hours, whether they still exist or not.',
  'active customer': 'A wallet with an active subscription or one-time policy, paid or not.',
  'never paid': 'A wallet with a policy and no payment.',
  'overdue customer':
    'A wallet with an overdue payment: due and not paid, and past its date by more than the grace.',
  'customer at risk': 'A wallet whose next payment will fail as things stand.',
  ended: 'A wallet that had a subscription and has nothing active any more.',
  'one-time': 'A wallet that bought, and never had a subscription.',
  'ended or one-time': 'Wallets that paid and have nothing active: a subscription that ended, or none ever.',
  paying: 'A wallet that paid you, by a subscription or directly.',
  'failed request':
    'A request that an endpoint did not answer with 2xx. Each try counts, also those of a delivery that arrived later.',
  final: 'The chain cannot take the payment back.',
  'not yet final':
    'The payment is confirmed, and the chain can still take it back: within half a minute or so.',
  retracted: 'The final chain does not hold this transaction. It does not count.',
} as const

export type Word = keyof typeof WORDS
