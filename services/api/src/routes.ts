// Each folder adds its routes. A bundle has no folders to load them from, so this list names them.
import type { ApiServer } from './api-server.js'
import { addChangeRoutes } from './changes/change-routes.js'
import { checkoutRoutes } from './checkout/routes.js'
import { addDocuments } from './documents/add-documents.js'
import { eventRoutes } from './events/routes.js'
import { addExpectationRoutes } from './expectations/expectation-routes.js'
import { feedRoutes } from './feed/routes.js'
import { gatewayAuthRoutes } from './gateway-auth/routes.js'
import { merchantRoutes } from './merchant/routes.js'
import { overviewRoutes } from './overview/routes.js'
import { addFrontPage } from './pages/front-page.js'
import type { Parts } from './parts.js'
import { paymentRoutes } from './payments/routes.js'
import { policyRoutes } from './policies/routes.js'
import { addReference } from './reference/add-reference.js'
import { addSearchRoute } from './search/search-route.js'
import { streamRoutes } from './stream/routes.js'
import { webhookRoutes } from './webhooks/routes.js'

/** Adds the routes of a folder. */
type AddFolder = (app: ApiServer, parts: Parts) => void | Promise<void>

const FOR_GATEWAYS: readonly AddFolder[] = [
  gatewayAuthRoutes,
  checkoutRoutes,
  merchantRoutes,
  addChangeRoutes,
  webhookRoutes,
  addExpectationRoutes,
  feedRoutes,
]

const FOR_EVERYBODY: readonly AddFolder[] = [
  overviewRoutes,
  policyRoutes,
  eventRoutes,
  paymentRoutes,
  addSearchRoute,
]

/** Added last: the plugin of the stream has hooks for each later route, and the others describe the routes. */
const LAST: readonly AddFolder[] = [streamRoutes, addReference, addDocuments, addFrontPage]

export async function addRoutes(app: ApiServer, parts: Parts): Promise<void> {
  for (const addFolder of FOR_EVERYBODY) await addFolder(app, parts)
  await app.register(async (scope: ApiServer) => {
    allowEmptyBodies(scope)
    for (const addFolder of FOR_GATEWAYS) await addFolder(scope, parts)
  })
  for (const addFolder of LAST) await addFolder(app, parts)
}

/** Many clients declare a JSON body in every request. Routes that need no body accept an empty body. */
function allowEmptyBodies(scope: ApiServer): void {
  const parse = scope.getDefaultJsonParser('error', 'error')
  scope.removeContentTypeParser('application/json')
  scope.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (text === '') done(null, undefined)
    else void parse(request, text as string, done)
  })
}
