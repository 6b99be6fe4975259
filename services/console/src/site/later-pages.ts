// Pages that nobody opens first, in one file that is loaded after the first page.
export { DeliveryPage } from './gateway/delivery-page.js'
export { EndpointPage } from './gateway/endpoint-page.js'
export { EndpointsPage } from './gateway/endpoints-page.js'
export { KeysPage } from './gateway/keys-page.js'
export { RevenuePage } from './gateway/revenue-page.js'
export { PaymentPage } from './payments/payment-page.js'
export { SubscriptionPage } from './subscriptions/subscription-page.js'
export { SubscriptionsPage } from './subscriptions/subscriptions-page.js'
