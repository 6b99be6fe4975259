// Generated from openapi.json by scripts/generate.mjs: do not edit.

export interface paths {
    "/v1/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the service lives
         * @description 200 as long as the process lives, whatever becomes of the servers behind it. Any query is accepted, and requests are not limited.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/subscriptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find subscriptions
         * @description Newest first by creation, up to 1,000 in a page. At least one lookup must be given, and at most 3 parameters. A wallet needs a mint beside it, and a mint needs a wallet or a tracking ID.
         */
        get: operations["listSubscriptions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/onetime/{trackingId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find the payment of a tracking ID
         * @description Newest first. `data` is the record when the page holds exactly one, an array when it holds several.
         */
        get: operations["getOneTimePayment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find events
         * @description All filters combine. Newest first by (timestamp, slot, index, id); with slot bounds alone by (slot, timestamp, index, id).
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/payments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Payments
         * @description PaymentRecord and ComposableExecuted events, newest first.
         */
        get: operations["listPayments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/policies/created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Policies created
         * @description PaymentPolicyCreated events, newest first.
         */
        get: operations["listPoliciesCreated"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/policies/deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Policies deleted
         * @description PaymentPolicyDeleted events, newest first.
         */
        get: operations["listPoliciesDeleted"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/policies/status-changed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Policies paused, resumed and completed
         * @description PaymentPolicyStatusChanged events, newest first.
         */
        get: operations["listPolicyStatusChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/gateways/created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Gateways created
         * @description PaymentGatewayCreated events, newest first.
         */
        get: operations["listGatewaysCreated"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/gateways/deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Gateways deleted
         * @description PaymentGatewayDeleted events, newest first.
         */
        get: operations["listGatewaysDeleted"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/gateways/signer-changed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Signers of gateways changed
         * @description GatewaySignerChanged events, newest first.
         */
        get: operations["listGatewaySignerChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/gateways/fee-bps-changed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fees of gateways changed
         * @description GatewayFeeBpsChanged events, newest first.
         */
        get: operations["listGatewayFeeBpsChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/gateways/fee-recipient-changed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fee recipients of gateways changed
         * @description GatewayFeeRecipientChanged events, newest first.
         */
        get: operations["listGatewayFeeRecipientChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/user-payments/created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * User payment accounts created
         * @description UserPaymentCreated events, newest first.
         */
        get: operations["listUserPaymentsCreated"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/referrals/rewards": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Rewards for referrals
         * @description ReferralRewardDistributedRecord events, newest first.
         */
        get: operations["listReferralRewards"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/program/config-created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Configurations of the program created
         * @description ProgramConfigCreated events, newest first.
         */
        get: operations["listProgramConfigsCreated"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count events
         * @description Counts the events that lists would hold: what was retracted is not counted. Bounds of time include both ends.
         */
        get: operations["countEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/names": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The names of all events there are
         * @description Sorted, and without the prefix of the program.
         */
        get: operations["listEventNames"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/payments/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Payment statistics
         * @description Amounts of different tokens are never added or compared: the figures outside `byToken` are null when the payments are of several tokens.
         */
        get: operations["getPaymentStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Payments of the last minute and the last 24 hours, and how long they took
         * @description By hours in UTC. A batch of history that is read later counts in the hours of its own time, and can show as a long delay.
         */
        get: operations["getOverview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payments/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check whether a tracking ID was paid
         * @description Anyone can write any memo: ask for recipient, token and amount, and ship when `paid` is true. One payment must be all that was asked for; payments are not added up. What was retracted does not count.
         */
        get: operations["checkPayment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/token-mints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The tokens whose symbol and decimals this service knows
         * @description As the setting `TOKENS` of this server names them. Amounts of all other tokens have no decimals here.
         */
        get: operations["listTokenMints"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payment-policies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find payment policies
         * @description The lookups of `/v1/subscriptions`, for one family of policies.
         */
        get: operations["listPaymentPolicies"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payment-policies/{address}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one of the payment policies
         * @description The policy that lives at this address now, as `/v1/subscriptions` shows it.
         */
        get: operations["getPaymentPolicy"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payment-policies/{address}/executions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Payments of one of the payment policies
         * @description Events, newest first, of every life of the address.
         */
        get: operations["listPaymentPolicyExecutions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/composable-policies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find composable policies
         * @description The lookups of `/v1/subscriptions`, for one family of policies.
         */
        get: operations["listComposablePolicies"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/composable-policies/{address}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one of the composable policies
         * @description The policy that lives at this address now, as `/v1/subscriptions` shows it.
         */
        get: operations["getComposablePolicy"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/composable-policies/{address}/executions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Payments of one of the composable policies
         * @description Events, newest first, of every life of the address.
         */
        get: operations["listComposablePolicyExecutions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/typed/{eventName}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Events of one name
         * @description The same as `/v1/events?eventName=`. The name may have the program's prefix.
         */
        get: operations["listEventsOfName"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/names/tributary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The names of all events there are, with the program's prefix
         * @description Sorted, for clients that expect the program's prefix in each name.
         */
        get: operations["listPrefixedEventNames"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gateway/{gateway}/auth/challenge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for a nonce to sign
         * @description The nonce is a text that names the service, its environment, the gateway and the end of its life. It works once, within 60 s.
         */
        post: operations["challengeGateway"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gateway/{gateway}/auth/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Trade a signed nonce for a token
         * @description The signer is the gateway's authority or its current signer, and signs the bytes of the nonce. Without `nonce`, the newest one that fits is taken. A failed attempt uses up nothing.
         */
        post: operations["verifyGateway"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The public keys of tokens
         * @description Verifiers choose a key by the `kid` of a token. The set holds the keys of sign-ins and of proofs of payment; both paths give the same answer.
         */
        get: operations["getKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jwks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The public keys of tokens
         * @description Verifiers choose a key by the `kid` of a token. The set holds the keys of sign-ins and of proofs of payment; both paths give the same answer.
         */
        get: operations["listKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tokens/issue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for a proof of payment
         * @description Needs a wallet, or a recipient with a tracking ID, or a transaction. Anybody may ask for anybody’s token: it proves a payment, not who bears it. 404 while nothing is stored, or while a policy is younger than 15 s and its first payment is not stored: ask again. 200 requests a minute for each wallet or tracking ID that is named, and 2,000 for each address; what cannot be read is not counted. By a wallet alone, the newest 1,000 policies of each of its payment accounts are looked at: name the policy or the transaction of an older payment. By a tracking ID, its newest 50,000 payments are looked at: name the wallet or the transaction of an older one. Null counts as not given.
         */
        post: operations["issueToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tokens/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Trade a proof of payment for a new one
         * @description For what the old one was issued for, until seven days after its end.
         */
        post: operations["refreshToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the gateway's API keys that are not revoked, oldest first
         * @description Each with its name, its scopes and when it was last used. The key itself is shown once, when it is made.
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Make an API key for a machine
         * @description At most 20 for a gateway.
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API key at once
         * @description From the answer on, every request with this key is refused.
         */
        delete: operations["revokeApiKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gateway/{gateway}/merchant/policies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The gateway's policies, newest first, deleted ones too
         * @description Policies of both families, with what each has paid. Amounts are texts in the smallest unit of the token. An API key needs the scope `merchant:read`.
         */
        get: operations["listMerchantPolicies"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gateway/{gateway}/merchant/subscribers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The wallets that paid the gateway, direct transfers too
         * @description By wallet; follow the `link` header for more. With `neverPaid=true`: the owners of policies who never paid, the owner of the newest policy first; a page can then hold fewer than asked for and still have a next. An API key needs the scope `merchant:read`.
         */
        get: operations["listSubscribers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gateway/{gateway}/merchant/revenue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Recurring revenue and volume, by token and by day or week
         * @description Without `startTime` of the whole life of the gateway, in days, then weeks, then months: at most 400 buckets. Weeks begin on Mondays. An API key needs the scope `merchant:read`.
         */
        get: operations["getRevenue"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gateway/{gateway}/merchant/upcoming": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Payments that are due in a span of time, by default the next 30 days
         * @description Every due date of active subscriptions, as far as their renewals go, and of one-time policies. Amounts of different tokens are never added. An API key needs the scope `merchant:read`.
         */
        get: operations["listUpcoming"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gateway/{gateway}/merchant/export/{kind}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Everything of one kind as CSV
         * @description RFC 4180, streamed whole. Where a spreadsheet would find a formula in a text, an apostrophe stands before it. An API key needs the scope `merchant:read`.
         */
        get: operations["exportMerchantData"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the gateway's webhooks, oldest first
         * @description The webhooks of the gateway that the token names. Secrets are not shown. An API key needs the scope `webhooks:read`.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Register a webhook
         * @description The first webhook of a gateway must name its `format`, unless the gateway has chosen one (`PUT /v1/gateway/:gateway/settings`). Later ones have that choice, or else the format of the newest. An API key needs the scope `webhooks:write`.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/gateway/{gatewayPubkey}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a gateway's webhooks by its key
         * @description The key must be that of the token. In this path, `gateway` is never the id of a webhook. An API key needs the scope `webhooks:read`.
         */
        get: operations["listWebhooksOfGateway"];
        put?: never;
        post?: never;
        /**
         * Delete all webhooks of the gateway
         * @description From the answer on nothing is sent to them; deliveries that wait are cancelled. In this path, `gateway` is never the id of a webhook. An API key needs the scope `webhooks:write`.
         */
        delete: operations["deleteWebhooksOfGateway"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a webhook
         * @description The gateway's own webhooks alone: the id of another gateway's webhook is not found. An API key needs the scope `webhooks:read`.
         */
        get: operations["getWebhook"];
        /**
         * Change a webhook
         * @description Fields that are left out stay; null clears a field that may be null. Open deliveries go to a new URL with new headers; their bodies stay. Deactivating cancels open deliveries; they can be redelivered later. An API key needs the scope `webhooks:write`.
         */
        put: operations["updateWebhook"];
        post?: never;
        /**
         * Delete a webhook
         * @description From the answer on nothing is sent to it; deliveries that wait are cancelled. An API key needs the scope `webhooks:write`.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gateway/{gateway}/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the gateway's choices for its webhooks
         * @description `webhookFormat` is null until the gateway has chosen. An API key needs the scope `webhooks:read`.
         */
        get: operations["getGatewaySettings"];
        /**
         * Change the gateway's choices for its webhooks
         * @description Webhooks that are registered already keep their format. An API key needs the scope `webhooks:write`.
         */
        put: operations["updateGatewaySettings"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the secret of a webhook
         * @description The secret that signs every delivery of the webhook; after a rotation, the newer of the two. An API key needs the scope `webhooks:write`.
         */
        get: operations["getWebhookSecret"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/secret/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a webhook a new secret
         * @description The old one signs beside the new one for 24 hours. An API key needs the scope `webhooks:write`.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find deliveries of all the gateway's webhooks, newest first
         * @description By `trackingId`, `signature` or both. An API key needs the scope `webhooks:read`.
         */
        get: operations["searchDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of a webhook, newest first
         * @description A delivery is one event for one webhook: where it stands, and how often it was tried. An API key needs the scope `webhooks:read`.
         */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/deliveries/{deliveryId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a delivery with its attempts
         * @description The body that was sent, and each attempt with its time, its status and its error. An API key needs the scope `webhooks:read`.
         */
        get: operations["getDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/deliveries/{deliveryId}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deliver again, with the same id and body
         * @description The delivery becomes pending and gets all its tries anew. The receiver can recognise it by `webhook-id`. An API key needs the scope `webhooks:write`.
         */
        post: operations["redeliver"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deliver again what was made in a span of time
         * @description Failed and cancelled deliveries, or those of one status, oldest first. The first 50 are due with the answer; `more` says that others follow by themselves. One redelivery of a webhook is under way at a time. An API key needs the scope `webhooks:write`.
         */
        post: operations["redeliverMany"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test notification
         * @description Its type is `webhook.test`; it is signed, retried and logged as any other. A webhook of the format `tributary` is sent `{"event": "webhook.test", …}`. An API key needs the scope `webhooks:write`.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payments/{signature}/trace": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What became of the payments of a transaction
         * @description From the chain to the stream, into the store and out again. With a gateway's token its payments show their deliveries too, and which webhooks wait for what. An API key needs the scope `webhooks:read`.
         */
        get: operations["tracePayments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All events as they are stored (WebSocket)
         * @description A plain WebSocket. The first message is one StreamHead, each other one StreamRecord; its `cursor`, given as `since`, goes on after it and never skips an event, however late it was stored. Begins with what was stored since, or now.
         */
        get: operations["streamEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "payment.executed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A payment was stored
         * @description Told of every payment of the gateway. Check recipient, mint and amount: anybody can write any memo.
         */
        post: operations["onPaymentExecuted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "payment.retracted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A payment was retracted
         * @description The finalized chain does not hold a payment that this endpoint was told of.
         */
        post: operations["onPaymentRetracted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscription.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A policy was created
         * @description The chain says so. Told once for each policy and life.
         */
        post: operations["onSubscriptionCreated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscription.paused": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A policy was paused
         * @description The chain says so. Payments stop until the policy is resumed.
         */
        post: operations["onSubscriptionPaused"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscription.resumed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A policy was resumed
         * @description The chain says so.
         */
        post: operations["onSubscriptionResumed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscription.completed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A policy has nothing left to pay
         * @description All its payments are stored, or the chain says so. Told once for each policy and life.
         */
        post: operations["onSubscriptionCompleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscription.deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A policy was deleted
         * @description The chain says so. Told once for each policy and life.
         */
        post: operations["onSubscriptionDeleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscription.due_soon": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A payment is due soon
         * @description Its due date is less than three days away, or as `DUE_SOON_SECONDS` says. Told once for each policy and date.
         */
        post: operations["onSubscriptionDueSoon"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscription.overdue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A payment is overdue
         * @description Its due date passed two hours ago, or as `OVERDUE_GRACE_SECONDS` says, and no payment is stored. Told once for each policy and date.
         */
        post: operations["onSubscriptionOverdue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscription.expired": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A policy takes no payment any more
         * @description Its expiry date or deadline has passed. Told once for each policy and date.
         */
        post: operations["onSubscriptionExpired"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook.failing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Another webhook fails
         * @description One of its deliveries failed with all its tries, and nothing succeeded since. Told once.
         */
        post: operations["onWebhookFailing"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook.deactivated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The service deactivated another webhook
         * @description Its endpoint answered 410, or failed for too long: `reason` says which.
         */
        post: operations["onWebhookDeactivated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook.test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A test
         * @description Sent by `POST /v1/webhooks/{id}/test`; no payment causes it.
         */
        post: operations["onWebhookTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        Health: {
            /** @enum {boolean} */
            success: true;
            data: {
                /**
                 * @description `ok` when healthy
                 * @example ok
                 */
                status: string;
                /**
                 * @description the name of the service
                 * @example payment-tracking-api
                 */
                service: string;
                /**
                 * @description its version
                 * @example 0.1.0
                 */
                version: string;
                firstPosition: (number | bigint) | null;
                firstTimestamp: string | null;
            };
            /** @description server time in milliseconds since the Unix epoch */
            timestamp: number | bigint;
        };
        /** @description The request cannot be read. */
        ErrorAnswer: {
            /** @enum {boolean} */
            success: false;
            /** @description one sentence for people */
            error: string;
            /**
             * @description stable; listed in docs/errors.md
             * @example INVALID_PARAMETER
             */
            code: string;
            /** @description server time in milliseconds since the Unix epoch */
            timestamp: number | bigint;
            /** @description the same as in the `x-request-id` header */
            requestId: string;
        };
        /** @description A payment policy that exists on the chain. */
        SubscriptionRecord: {
            /**
             * Format: public-key
             * @description the user payment account that pays
             * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
             */
            userPayment: string;
            /**
             * Format: public-key
             * @description who is paid
             * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
             */
            recipient: string;
            /**
             * Format: public-key
             * @description the gateway that executes the payments
             * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
             */
            gateway: string;
            /**
             * @description number of the policy within its user payment
             * @example 1
             */
            policyId: number | bigint;
            /**
             * @description one key, the name of the type in camelCase (`subscription`, `milestone`, `payAsYouGo`, `oneTime`, `upTo`, or a newer one), with its fields
             * @example {
             *       "subscription": {
             *         "amount": 404000000,
             *         "autoRenew": true,
             *         "maxRenewals": 24,
             *         "paymentFrequency": {
             *           "Monthly": null
             *         },
             *         "nextPaymentDue": 1795262400
             *       }
             *     }
             */
            policyType: {
                [key: string]: unknown;
            };
            memo: string | null;
            /**
             * @description sum of its payments in the token's smallest unit
             * @example 4040000000
             */
            totalPaid: number | bigint;
            /**
             * @description Unix time in seconds
             * @example 1769860800
             */
            createdAt: number | bigint;
            /**
             * @description Unix time in seconds of the latest creation, payment or status change
             * @example 1794697200
             */
            updatedAt: number | bigint;
            /**
             * Format: public-key
             * @description the policy itself
             * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
             */
            policyAddress: string;
            /**
             * @description `active`, `paused` or `completed`
             * @example active
             */
            status: string;
            /**
             * @description a composable policy pays through another program
             * @example regular
             * @enum {string}
             */
            family: "regular" | "composable";
            /**
             * @description `none` when it waits for no payment, `upcoming`, `due` after its due date, `overdue` after a grace, `expired` when no payment is taken any more; told at the time of reading
             * @example upcoming
             * @enum {string}
             */
            dueState: "none" | "upcoming" | "due" | "overdue" | "expired";
            /**
             * @description number of its payments
             * @example 10
             */
            paymentCount: number | bigint;
            tokenMint: string | null;
            walletPublicKey: string | null;
            /**
             * @description whether its user payment account is closed: the policy stays on the chain and cannot pay
             * @example false
             */
            userPaymentDeleted: boolean;
        };
        Subscriptions: {
            /** @enum {boolean} */
            success: true;
            data: components["schemas"]["SubscriptionRecord"][];
            /** @description server time in milliseconds since the Unix epoch */
            timestamp: number | bigint;
        };
        /** @description Anyone can write any memo: check recipient, token mint and amount before you ship. */
        OneTimePayment: {
            /**
             * @description the tracking ID that was asked for
             * @example order-4711
             */
            trackingId: string;
            /**
             * Format: signature
             * @description transaction signature
             * @example 52d9nGdped4fFutXhQwrcp1n37ABy8BkWNmgJXWegsAgCYCbUKLkRTqRy7aXPCpvaLBEYi669qVEF6KoCEmgXmjr
             */
            signature: string;
            /**
             * @description blockchain slot
             * @example 452091000
             */
            slot: number | bigint;
            /**
             * Format: date-time
             * @description when it happened on the chain
             * @example 2026-11-14T23:00:00.000Z
             */
            timestamp: string;
            /**
             * Format: public-key
             * @description the policy that was paid by
             * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
             */
            paymentPolicy: string;
            /**
             * Format: public-key
             * @description the gateway that executed it
             * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
             */
            gateway: string;
            /**
             * @description amount in the token's smallest unit
             * @example 404000000
             */
            amount: number | bigint;
            /**
             * @description carries the tracking ID
             * @example order-4711
             */
            memo: string;
            /**
             * @description number of the payment since its policy was created
             * @example 10
             */
            recordId: number | bigint;
            /**
             * @description a confirmed transaction can still be retracted; a finalized one cannot
             * @example finalized
             * @enum {string}
             */
            finality: "confirmed" | "finalized";
            /** @description the finalized chain does not hold its transaction; only where it was asked for */
            retracted?: boolean;
            /**
             * @description `id` of its event record
             * @example 0f0e7a52-5d0c-8c51-9f6e-6d8a6e0b1c11
             */
            eventId: string;
            recipient: string | null;
            payer: string | null;
            tokenMint: string | null;
            seq: (number | bigint) | null;
            /**
             * @description amount in the token's smallest unit, as a text
             * @example 404000000
             */
            amountString: string;
            /**
             * @description of the token, when this service knows it
             * @example 6
             */
            decimals?: number | bigint;
            /**
             * @description of the token, when this service knows it
             * @example USDC
             */
            symbol?: string;
        };
        OneTimePayments: {
            /** @enum {boolean} */
            success: true;
            data: components["schemas"]["OneTimePayment"] | components["schemas"]["OneTimePayment"][];
            /** @description server time in milliseconds since the Unix epoch */
            timestamp: number | bigint;
        };
        /** @description A stored event of the chain. */
        EventRecord: {
            /**
             * @description opaque; the same event has the same id for ever
             * @example 0f0e7a52-5d0c-8c51-9f6e-6d8a6e0b1c11
             */
            id: string;
            /**
             * @description blockchain slot
             * @example 452091000
             */
            slot: number | bigint;
            /**
             * Format: signature
             * @description transaction signature
             * @example 52d9nGdped4fFutXhQwrcp1n37ABy8BkWNmgJXWegsAgCYCbUKLkRTqRy7aXPCpvaLBEYi669qVEF6KoCEmgXmjr
             */
            signature: string;
            /**
             * @description event kind
             * @example PaymentRecord
             */
            eventName: string;
            /**
             * @description what the program emitted, value for value as it was received
             * @example {
             *       "payment_policy": "6Z3BNAsmuXhP88e9x4p2RRqtULZWSUA9xS567EftC48B",
             *       "gateway": "CfkWw3dvy5MwDsC1Gjrxeu3VCwV4bRU7AcVhasXi1icW",
             *       "amount": "404000000",
             *       "record_id": 10
             *     }
             */
            data: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description when it happened on the chain, with milliseconds
             * @example 2026-11-14T23:00:00.000Z
             */
            timestamp: string;
            /**
             * @description a confirmed transaction can still be retracted; a finalized one cannot
             * @example finalized
             * @enum {string}
             */
            finality: "confirmed" | "finalized";
            /** @description the finalized chain does not hold its transaction; only where it was asked for */
            retracted?: boolean;
            trackingId?: string | null;
            /**
             * @description `id` of its event record
             * @example 0f0e7a52-5d0c-8c51-9f6e-6d8a6e0b1c11
             */
            eventId?: string;
            recipient?: string | null;
            payer?: string | null;
            tokenMint?: string | null;
            seq?: (number | bigint) | null;
            /**
             * @description amount in the token's smallest unit, as a text
             * @example 404000000
             */
            amountString?: string;
            /**
             * @description of the token, when this service knows it
             * @example 6
             */
            decimals?: number | bigint;
            /**
             * @description of the token, when this service knows it
             * @example USDC
             */
            symbol?: string;
        };
        /** @description The event was archived: operators have it, and `GET /v1/health` tells where lists begin. */
        ArchivedAnswer: {
            /** @enum {boolean} */
            success: false;
            /** @description one sentence for people */
            error: string;
            /**
             * @description stable; listed in docs/errors.md
             * @example INVALID_PARAMETER
             */
            code: string;
            /** @description server time in milliseconds since the Unix epoch */
            timestamp: number | bigint;
            /** @description the same as in the `x-request-id` header */
            requestId: string;
            /**
             * @description the month of the event on the chain, in UTC
             * @example 2026-03
             */
            archivedMonth: string;
        };
        EventCount: {
            /**
             * @description how many events match
             * @example 509
             */
            count: number | bigint;
        };
        TokenStats: {
            tokenMint: string | null;
            /**
             * @description how many payments in this token
             * @example 94
             */
            count: number | bigint;
            /**
             * @description sum of their amounts in the token's smallest unit
             * @example 21587000000
             */
            totalAmount: number | bigint;
            /**
             * @description rounded down
             * @example 280350649
             */
            averageAmount: number | bigint;
            minAmount: (number | bigint) | null;
            maxAmount: (number | bigint) | null;
        };
        PaymentStats: {
            /**
             * @description how many payments
             * @example 94
             */
            count: number | bigint;
            totalAmount: (number | bigint) | null;
            averageAmount: (number | bigint) | null;
            averagePayment: (number | bigint) | null;
            minAmount: (number | bigint) | null;
            maxAmount: (number | bigint) | null;
            firstPaymentAt: string | null;
            lastPaymentAt: string | null;
            /** @description Most payments first, at most 1,000 tokens. The figures above count every token. */
            byToken: components["schemas"]["TokenStats"][];
        };
        LastMinute: {
            /**
             * @description payments whose time on the chain is within the last 60 seconds
             * @example 12
             */
            count: number | bigint;
            /** @description false when there are more: at most 10,000 are counted */
            complete: boolean;
        };
        OverviewHour: {
            /**
             * Format: date-time
             * @description the beginning of the hour
             * @example 2026-11-14T23:00:00.000Z
             */
            start: string;
            /**
             * @description payments of the hour, by their time on the chain
             * @example 720
             */
            count: number | bigint;
        };
        OverviewToken: {
            tokenMint: string | null;
            /**
             * @description payments of these hours
             * @example 94
             */
            count: number | bigint;
            /**
             * @description sum of their amounts in the token's smallest unit
             * @example 21587000000
             */
            totalAmount: number | bigint;
        };
        /** @description from the time on the chain until the payment was stored */
        Delay: {
            p50: (number | bigint) | null;
            p95: (number | bigint) | null;
        };
        OverviewDelays: {
            /**
             * @description how many payments were measured: the newest of these hours, at most 200
             * @example 200
             */
            measured: number | bigint;
            toStored: components["schemas"]["Delay"];
            toAnnounced: components["schemas"]["Delay"];
        };
        Overview: {
            /**
             * Format: date-time
             * @description when the figures were read
             * @example 2026-11-14T23:00:00.000Z
             */
            asOf: string;
            knownSince: string | null;
            lastMinute: components["schemas"]["LastMinute"];
            /** @description The current hour and the 23 before it, oldest first. */
            hours: components["schemas"]["OverviewHour"][];
            /** @description Of these hours, most payments first, at most 20 tokens. */
            byToken: components["schemas"]["OverviewToken"][];
            delays: components["schemas"]["OverviewDelays"];
        };
        PaymentMismatch: {
            /**
             * @description what is not as it must be
             * @enum {string}
             */
            field: "recipient" | "tokenMint" | "amount" | "finality";
            /**
             * @description what was asked for
             * @example 404000000
             */
            expected: string;
            actual: string | null;
            payment: components["schemas"]["OneTimePayment"];
        };
        PaymentCheck: {
            /** @description one payment is all that was asked for */
            paid: boolean;
            /** @description the newest of those that are, at most 100 */
            payments: components["schemas"]["OneTimePayment"][];
            /**
             * @description how many are
             * @example 1
             */
            paymentCount: number | bigint;
            /** @description for the newest other payments of the tracking ID, each field that is not as it must be; at most 100 */
            mismatches: components["schemas"]["PaymentMismatch"][];
            /**
             * @description how many fields of all other payments are not
             * @example 0
             */
            mismatchCount: number | bigint;
        };
        TokenMint: {
            /**
             * Format: public-key
             * @description the token
             * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
             */
            tokenMint: string;
            /**
             * @description its short name
             * @example USDC
             */
            symbol: string;
            /**
             * @description digits of an amount behind the point
             * @example 6
             */
            decimals: number | bigint;
        };
        /** @description A payment policy that exists on the chain. */
        PolicyRecord: {
            /**
             * Format: public-key
             * @description the user payment account that pays
             * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
             */
            userPayment: string;
            /**
             * Format: public-key
             * @description who is paid
             * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
             */
            recipient: string;
            /**
             * Format: public-key
             * @description the gateway that executes the payments
             * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
             */
            gateway: string;
            /**
             * @description number of the policy within its user payment
             * @example 1
             */
            policyId: number | bigint;
            /**
             * @description one key, the name of the type in camelCase (`subscription`, `milestone`, `payAsYouGo`, `oneTime`, `upTo`, or a newer one), with its fields
             * @example {
             *       "subscription": {
             *         "amount": 404000000,
             *         "autoRenew": true,
             *         "maxRenewals": 24,
             *         "paymentFrequency": {
             *           "Monthly": null
             *         },
             *         "nextPaymentDue": 1795262400
             *       }
             *     }
             */
            policyType: {
                [key: string]: unknown;
            };
            memo: string | null;
            /**
             * @description sum of its payments in the token's smallest unit
             * @example 4040000000
             */
            totalPaid: number | bigint;
            /**
             * @description Unix time in seconds
             * @example 1769860800
             */
            createdAt: number | bigint;
            /**
             * @description Unix time in seconds of the latest creation, payment or status change
             * @example 1794697200
             */
            updatedAt: number | bigint;
            /**
             * Format: public-key
             * @description the policy itself
             * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
             */
            policyAddress: string;
            /**
             * @description `active`, `paused` or `completed`
             * @example active
             */
            status: string;
            /**
             * @description a composable policy pays through another program
             * @example regular
             * @enum {string}
             */
            family: "regular" | "composable";
            /**
             * @description `none` when it waits for no payment, `upcoming`, `due` after its due date, `overdue` after a grace, `expired` when no payment is taken any more; told at the time of reading
             * @example upcoming
             * @enum {string}
             */
            dueState: "none" | "upcoming" | "due" | "overdue" | "expired";
            /**
             * @description number of its payments
             * @example 10
             */
            paymentCount: number | bigint;
            tokenMint: string | null;
            walletPublicKey: string | null;
            /**
             * @description whether its user payment account is closed: the policy stays on the chain and cannot pay
             * @example false
             */
            userPaymentDeleted: boolean;
            /**
             * Format: public-key
             * @description the same as `policyAddress`
             * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
             */
            policyAccount: string;
        };
        PaymentPolicies: {
            /** @enum {boolean} */
            success: true;
            data: components["schemas"]["PolicyRecord"][];
            /** @description server time in milliseconds since the Unix epoch */
            timestamp: number | bigint;
        };
        PaymentPolicy: {
            /** @enum {boolean} */
            success: true;
            data: components["schemas"]["PolicyRecord"];
            /** @description server time in milliseconds since the Unix epoch */
            timestamp: number | bigint;
        };
        PaymentPolicyExecutions: {
            /** @enum {boolean} */
            success: true;
            /** @description Newest first. */
            data: components["schemas"]["EventRecord"][];
            /** @description server time in milliseconds since the Unix epoch */
            timestamp: number | bigint;
        };
        ComposablePolicies: {
            /** @enum {boolean} */
            success: true;
            data: components["schemas"]["PolicyRecord"][];
            /** @description server time in milliseconds since the Unix epoch */
            timestamp: number | bigint;
        };
        ComposablePolicy: {
            /** @enum {boolean} */
            success: true;
            data: components["schemas"]["PolicyRecord"];
            /** @description server time in milliseconds since the Unix epoch */
            timestamp: number | bigint;
        };
        ComposablePolicyExecutions: {
            /** @enum {boolean} */
            success: true;
            /** @description Newest first. */
            data: components["schemas"]["EventRecord"][];
            /** @description server time in milliseconds since the Unix epoch */
            timestamp: number | bigint;
        };
        Challenge: {
            /** @description sign the UTF-8 bytes of this text with the ed25519 key of the authority or signer */
            nonce: string;
            /**
             * Format: public-key
             * @description the gateway
             * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
             */
            gateway: string;
            /**
             * Format: date-time
             * @description until when the nonce can be used, once
             * @example 2026-11-14T23:00:00.000Z
             */
            expiresAt: string;
        };
        Proof: {
            /** @description the public key that signed: the authority of the gateway or its current signer */
            signer: string;
            /** @description the signature of the nonce: base58, or an array of 64 bytes */
            signature: string | (number | bigint)[];
            /** @description the nonce that was signed; without it, the newest that fits of those this client address was given */
            nonce?: string;
        };
        Token: {
            /** @description a JWT, to be sent as `authorization: Bearer …` */
            token: string;
            /** @description seconds until it ends */
            expiresIn: number | bigint;
        };
        KeySet: {
            keys: {
                /** @description `OKP` or `EC` */
                kty: string;
                /** @description `Ed25519` or `P-256` */
                crv: string;
                /** @description the public key or its first half, base64url */
                x: string;
                /** @description of a P-256 key, its second half */
                y?: string;
                /** @description names the key in a token’s header */
                kid: string;
                /** @description `EdDSA` for tokens of gateways, `ES256` for proofs of payment */
                alg: string;
                /** @description `sig` */
                use: string;
            }[];
        };
        ProofOfPayment: {
            /** @description a JWT, signed by a key of `/.well-known/jwks.json` with ES256 */
            token: string;
            /** @description Unix time in seconds at which it ends */
            expiresAt: number | bigint;
        };
        CreatedApiKey: {
            /**
             * @description assigned by the service
             * @example 3
             */
            id: number | bigint;
            /**
             * @description what its owner calls it
             * @example order server
             */
            name: string;
            /** @description what the key may do */
            scopes: ("webhooks:read" | "webhooks:write" | "merchant:read")[];
            /**
             * @description the beginning of the key
             * @example ptk_4fZ0aQ
             */
            hint: string;
            /**
             * Format: public-key
             * @description the wallet that made it; the key ends when this wallet may no longer act for the gateway
             * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
             */
            createdBy: string;
            /**
             * Format: date-time
             * @description when it was made
             * @example 2026-11-14T23:00:00.000Z
             */
            createdAt: string;
            expiresAt: string | null;
            lastUsedAt: string | null;
            /** @description to be sent as `authorization: Bearer …`; shown only here */
            key: string;
        };
        ApiKey: {
            /**
             * @description assigned by the service
             * @example 3
             */
            id: number | bigint;
            /**
             * @description what its owner calls it
             * @example order server
             */
            name: string;
            /** @description what the key may do */
            scopes: ("webhooks:read" | "webhooks:write" | "merchant:read")[];
            /**
             * @description the beginning of the key
             * @example ptk_4fZ0aQ
             */
            hint: string;
            /**
             * Format: public-key
             * @description the wallet that made it; the key ends when this wallet may no longer act for the gateway
             * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
             */
            createdBy: string;
            /**
             * Format: date-time
             * @description when it was made
             * @example 2026-11-14T23:00:00.000Z
             */
            createdAt: string;
            expiresAt: string | null;
            lastUsedAt: string | null;
        };
        MerchantPolicy: {
            /**
             * Format: public-key
             * @description the policy
             * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
             */
            policyAddress: string;
            /** @enum {string} */
            family: "regular" | "composable";
            /**
             * @description number of the policy within its user payment
             * @example 1
             */
            policyId: number | bigint;
            /**
             * Format: public-key
             * @description who is paid
             * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
             */
            recipient: string;
            /**
             * Format: public-key
             * @description the user payment account that pays
             * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
             */
            userPayment: string;
            /**
             * @description `Subscription`, `Milestone`, `PayAsYouGo`, `OneTime`, `UpTo` or a newer one
             * @example Subscription
             */
            variant: string;
            /**
             * @description `Active`, `Paused`, `Completed` or `Deleted`
             * @example Active
             */
            status: string;
            amount: string | null;
            paymentFrequency: string | null;
            /**
             * @description Unix time in seconds
             * @example 1769860800
             */
            createdAt: number | bigint;
            /**
             * @description number of its payments
             * @example 10
             */
            paymentCount: number | bigint;
            /**
             * @description sum of its payments, in the token's smallest unit
             * @example 404000000
             */
            totalPaid: string;
            lastPaymentAt: (number | bigint) | null;
            tokenMint: string | null;
            wallet: string | null;
            trackingId: string | null;
            nextPaymentDue: (number | bigint) | null;
        };
        MerchantPolicies: {
            items: components["schemas"]["MerchantPolicy"][];
            /**
             * @description of all pages
             * @example 1
             */
            total: number | bigint;
        };
        SubscriberToken: {
            tokenMint: string | null;
            /**
             * @description payments
             * @example 10
             */
            paymentCount: number | bigint;
            /**
             * @description their sum, in the token's smallest unit
             * @example 404000000
             */
            totalPaid: string;
        };
        Subscriber: {
            /**
             * Format: public-key
             * @description who pays
             * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
             */
            wallet: string;
            /**
             * @description its policies with the gateway, at most 1,000
             * @example 1
             */
            policyCount: number | bigint;
            tokenMint: string | null;
            /**
             * @description sum of its payments in that token, in the token's smallest unit
             * @example 404000000
             */
            totalPaid: string;
            lastActiveAt: (number | bigint) | null;
            /** @description Most payments first. */
            byToken: components["schemas"]["SubscriberToken"][];
            /** @description false: the wallet has more than 10,000 payments, and only the newest are counted */
            complete: boolean;
        };
        Subscribers: {
            items: components["schemas"]["Subscriber"][];
            total: (number | bigint) | null;
        };
        RevenuePoint: {
            /**
             * @description the day on which the bucket begins, in UTC
             * @example 2026-11-14
             */
            ts: string;
            /**
             * @description monthly recurring revenue at its end, in the token's smallest unit
             * @example 404000000
             */
            mrr: string;
            /**
             * @description volume in it, in the token's smallest unit
             * @example 404000000
             */
            recognized: string;
        };
        TokenRevenue: {
            tokenMint: string | null;
            decimals: (number | bigint) | null;
            /**
             * @description monthly recurring revenue of the active subscriptions now, in the token's smallest unit
             * @example 404000000
             */
            mrr: string;
            /**
             * @description volume of the span: face value of the payments, before fees, in the token's smallest unit
             * @example 404000000
             */
            recognizedRevenue: string;
            /** @description Oldest first. */
            series: components["schemas"]["RevenuePoint"][];
            /**
             * @description payments of the span
             * @example 94
             */
            paymentCount: number | bigint;
            /**
             * @description active subscriptions now
             * @example 12
             */
            activeSubscriptionCount: number | bigint;
            /**
             * @description of these, with a frequency that has no month: they add nothing to mrr
             * @example 0
             */
            uncountedSubscriptions: number | bigint;
        };
        Churn: {
            /**
             * @description wallets with an active subscription when the span begins
             * @example 10
             */
            activeAtStart: number | bigint;
            /**
             * @description of these, wallets without one when it ends
             * @example 1
             */
            churned: number | bigint;
            rate: string | null;
        };
        SubscriberPoint: {
            /**
             * @description the day on which the bucket begins, in UTC
             * @example 2026-11-14
             */
            ts: string;
            /**
             * @description wallets with an active subscription at its end
             * @example 12
             */
            active: number | bigint;
            /**
             * @description of these, wallets without one at its beginning
             * @example 2
             */
            came: number | bigint;
            /**
             * @description wallets with one at its beginning and none at its end
             * @example 1
             */
            left: number | bigint;
        };
        SubscriptionCounts: {
            /**
             * @description now
             * @example 12
             */
            active: number | bigint;
            /**
             * @description now
             * @example 1
             */
            paused: number | bigint;
            /**
             * @description now
             * @example 0
             */
            completed: number | bigint;
            /**
             * @description of the active ones
             * @example 2
             */
            overdue: number | bigint;
        };
        Revenue: {
            tokenMint: string | null;
            /**
             * @description monthly recurring revenue of the active subscriptions now, in the token's smallest unit
             * @example 404000000
             */
            mrr: string;
            /**
             * @description volume of the span: face value of the payments, before fees, in the token's smallest unit
             * @example 404000000
             */
            recognizedRevenue: string;
            /** @description Oldest first. */
            series: components["schemas"]["RevenuePoint"][];
            /**
             * @description active subscriptions now, of all tokens
             * @example 12
             */
            activeSubscriptionCount: number | bigint;
            /**
             * Format: date-time
             * @description the first moment of the span
             * @example 2026-11-14T23:00:00.000Z
             */
            startTime: string;
            /**
             * Format: date-time
             * @description the first moment after the span
             * @example 2026-11-14T23:00:00.000Z
             */
            endTime: string;
            knownSince: string | null;
            /** @enum {string} */
            bucket: "day" | "week" | "month";
            /** @description Most payments first; at most 1,000 tokens. The figures of all subscriptions count those of every token. Amounts of tokens are never added. */
            byToken: components["schemas"]["TokenRevenue"][];
            churn: components["schemas"]["Churn"];
            /** @description Of all tokens, oldest first. */
            subscribers: components["schemas"]["SubscriberPoint"][];
            subscriptions: components["schemas"]["SubscriptionCounts"];
        };
        UpcomingPayment: {
            /**
             * @description Unix time in seconds
             * @example 1795262400
             */
            dueAt: number | bigint;
            /**
             * Format: public-key
             * @description the policy
             * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
             */
            policyAddress: string;
            /**
             * @description `Subscription` or `OneTime`
             * @example Subscription
             */
            variant: string;
            /**
             * Format: public-key
             * @description who is paid
             * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
             */
            recipient: string;
            wallet: string | null;
            trackingId: string | null;
            tokenMint: string | null;
            /**
             * @description to be paid, in the token's smallest unit
             * @example 404000000
             */
            amount: string;
        };
        UpcomingToken: {
            tokenMint: string | null;
            /**
             * @description payments
             * @example 3
             */
            count: number | bigint;
            /**
             * @description their sum, in the token's smallest unit
             * @example 404000000
             */
            totalAmount: string;
        };
        UpcomingDay: {
            /**
             * @description in UTC
             * @example 2026-11-14
             */
            day: string;
            tokenMint: string | null;
            /**
             * @description payments
             * @example 3
             */
            count: number | bigint;
            /**
             * @description their sum, in the token's smallest unit
             * @example 404000000
             */
            totalAmount: string;
        };
        Upcoming: {
            /** @description Earliest first. */
            items: components["schemas"]["UpcomingPayment"][];
            /** @description Of all payments of the span, on whatever page. */
            byToken: components["schemas"]["UpcomingToken"][];
            /** @description Of all payments of the span, earliest first, by day and token. */
            byDay: components["schemas"]["UpcomingDay"][];
            /**
             * @description payments of the span
             * @example 3
             */
            total: number | bigint;
            /** @description false when a policy has more than 1,000 due dates in the span: only the first are told */
            complete: boolean;
        };
        /** @description which payments and policies it is told of: all filters must hold. What has a recipient or token that is not known yet waits until it is known */
        WebhookFilters: {
            /**
             * Format: public-key
             * @description who is paid
             */
            recipient?: string;
            /**
             * Format: public-key
             * @description the token
             */
            tokenMint?: string;
            /**
             * Format: amount
             * @description the least amount of a payment, in the token's smallest unit; needs `tokenMint`
             */
            minAmount?: string;
            /**
             * Format: tracking-id
             * @description how the tracking ID begins
             */
            trackingIdPrefix?: string;
        };
        CreatedWebhook: {
            /**
             * @description assigned by the service
             * @example 17
             */
            id: number | bigint;
            /**
             * Format: public-key
             * @description the gateway it belongs to
             * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
             */
            gatewayPubkey: string;
            /**
             * @description receives the notifications
             * @example https://shop.example/webhooks/payments
             */
            endpointUrl: string;
            /** @description whether it receives them now */
            active: boolean;
            /**
             * Format: date-time
             * @description when it was registered
             * @example 2026-11-14T23:00:00.000Z
             */
            createdAt: string;
            failingSince: string | null;
            deactivatedReason: string | null;
            deactivatedAt: string | null;
            /** @description what it is told of; without a choice of payments alone */
            eventTypes: ("payment.executed" | "payment.retracted" | "subscription.created" | "subscription.paused" | "subscription.resumed" | "subscription.completed" | "subscription.deleted" | "subscription.due_soon" | "subscription.overdue" | "subscription.expired" | "webhook.failing" | "webhook.deactivated")[];
            /**
             * @description `finalized`: it is told of a payment once that is final, and never of one that is retracted
             * @enum {unknown}
             */
            finality: "confirmed" | "finalized";
            /**
             * @description how payments are told: `standard`, or `tributary`, the body that the incumbent sends
             * @enum {unknown}
             */
            format: "standard" | "tributary";
            description: string | null;
            /** @description headers of each request; their values are not shown */
            headerNames: string[];
            filters: components["schemas"]["WebhookFilters"] | null;
            /** @description one delivery at a time, in their order; a delivery waits until the one before it has ended */
            ordered: boolean;
            /** @description with `ordered`: an open delivery that is older than this holds back no later one */
            orderedWithinSeconds: number | bigint;
            /** @description when the endpoint answers again, what failed in the last 72 hours is sent again, in up to 6 rounds of 4 tries */
            recover: boolean;
            endpointWarning: string | null;
            /** @description signs the notifications; keep it, and verify with it */
            secret: string;
        };
        Webhook: {
            /**
             * @description assigned by the service
             * @example 17
             */
            id: number | bigint;
            /**
             * Format: public-key
             * @description the gateway it belongs to
             * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
             */
            gatewayPubkey: string;
            /**
             * @description receives the notifications
             * @example https://shop.example/webhooks/payments
             */
            endpointUrl: string;
            /** @description whether it receives them now */
            active: boolean;
            /**
             * Format: date-time
             * @description when it was registered
             * @example 2026-11-14T23:00:00.000Z
             */
            createdAt: string;
            failingSince: string | null;
            deactivatedReason: string | null;
            deactivatedAt: string | null;
            /** @description what it is told of; without a choice of payments alone */
            eventTypes: ("payment.executed" | "payment.retracted" | "subscription.created" | "subscription.paused" | "subscription.resumed" | "subscription.completed" | "subscription.deleted" | "subscription.due_soon" | "subscription.overdue" | "subscription.expired" | "webhook.failing" | "webhook.deactivated")[];
            /**
             * @description `finalized`: it is told of a payment once that is final, and never of one that is retracted
             * @enum {unknown}
             */
            finality: "confirmed" | "finalized";
            /**
             * @description how payments are told: `standard`, or `tributary`, the body that the incumbent sends
             * @enum {unknown}
             */
            format: "standard" | "tributary";
            description: string | null;
            /** @description headers of each request; their values are not shown */
            headerNames: string[];
            filters: components["schemas"]["WebhookFilters"] | null;
            /** @description one delivery at a time, in their order; a delivery waits until the one before it has ended */
            ordered: boolean;
            /** @description with `ordered`: an open delivery that is older than this holds back no later one */
            orderedWithinSeconds: number | bigint;
            /** @description when the endpoint answers again, what failed in the last 72 hours is sent again, in up to 6 rounds of 4 tries */
            recover: boolean;
            endpointWarning: string | null;
        };
        GatewaySettings: {
            webhookFormat: ("standard" | "tributary") | null;
        };
        WebhookSecret: {
            /** @description signs the notifications */
            secret: string;
            previousSecretExpiresAt: string | null;
        };
        Delivery: {
            /** @description assigned by the service */
            id: number | bigint;
            /** @description the webhook it goes to */
            webhookId: number | bigint;
            /** @description `webhook-id` of every attempt; the same for all webhooks and redeliveries of an event */
            messageId: string;
            eventId: string | null;
            /** @description `payment.executed`, `payment.retracted`, `subscription.…` or `webhook.…` */
            type: string;
            /** @description `pending`, `waiting` (held back by a cap, an open breaker or an earlier delivery), `delivered`, `failed`, `cancelled` */
            status: string;
            /** @description requests so far, over all rounds */
            attempts: number | bigint;
            /**
             * Format: date-time
             * @description when it was made
             * @example 2026-11-14T23:00:00.000Z
             */
            createdAt: string;
            nextAttemptAt: string | null;
            finishedAt: string | null;
            lastError: string | null;
            heldReason: string | null;
            trackingId: string | null;
            signature: string | null;
        };
        Attempt: {
            /** @description from 1 */
            number: number | bigint;
            /**
             * Format: date-time
             * @description written before the request left
             * @example 2026-11-14T23:00:00.000Z
             */
            startedAt: string;
            finishedAt: string | null;
            outcome: string | null;
            statusCode: (number | bigint) | null;
            error: string | null;
            responseHeaders: {
                [key: string]: unknown;
            } | null;
            responseBody: string | null;
        };
        DeliveryDetail: {
            /** @description assigned by the service */
            id: number | bigint;
            /** @description the webhook it goes to */
            webhookId: number | bigint;
            /** @description `webhook-id` of every attempt; the same for all webhooks and redeliveries of an event */
            messageId: string;
            eventId: string | null;
            /** @description `payment.executed`, `payment.retracted`, `subscription.…` or `webhook.…` */
            type: string;
            /** @description `pending`, `waiting` (held back by a cap, an open breaker or an earlier delivery), `delivered`, `failed`, `cancelled` */
            status: string;
            /** @description requests so far, over all rounds */
            attempts: number | bigint;
            /**
             * Format: date-time
             * @description when it was made
             * @example 2026-11-14T23:00:00.000Z
             */
            createdAt: string;
            nextAttemptAt: string | null;
            finishedAt: string | null;
            lastError: string | null;
            heldReason: string | null;
            trackingId: string | null;
            signature: string | null;
            /** @description the body of every attempt, byte for byte */
            body: string;
            attemptLog: components["schemas"]["Attempt"][];
        };
        Redelivery: {
            /** @description deliveries that are due now, at most 50 */
            count: number | bigint;
            /** @description others follow; nothing needs to be asked again */
            more: boolean;
        };
        ChainStage: {
            /**
             * @description blockchain slot
             * @example 452091000
             */
            slot: number | bigint;
            /**
             * Format: date-time
             * @description when the indexer says it happened
             * @example 2026-11-14T23:00:00.000Z
             */
            timestamp: string;
            /**
             * @description when the program says it happened, Unix seconds
             * @example 1794697200
             */
            paidAt: number | bigint;
        };
        StreamStage: {
            /**
             * @description number of the indexer's message in the stream
             * @example 593
             */
            sequence: number | bigint;
        };
        StoredStage: {
            at: string | null;
            /**
             * @description its place in commit order
             * @example 509
             */
            position: number | bigint;
            seq: (number | bigint) | null;
        };
        AnnouncedStage: {
            at: string | null;
            /** @description whether sockets were told and deliveries enqueued */
            done: boolean;
        };
        TracedAttempt: {
            /**
             * @description 1 is the first try
             * @example 1
             */
            number: number | bigint;
            /**
             * Format: date-time
             * @description when the request was about to leave
             * @example 2026-11-14T23:00:00.000Z
             */
            startedAt: string;
            finishedAt: string | null;
            outcome: string | null;
            statusCode: (number | bigint) | null;
        };
        TracedDelivery: {
            /**
             * @description the delivery
             * @example 17
             */
            deliveryId: number | bigint;
            /**
             * @description the webhook it is for
             * @example 3
             */
            webhookId: number | bigint;
            /**
             * @description `pending`, `waiting`, `delivered`, `failed` or `cancelled`
             * @example delivered
             */
            state: string;
            /**
             * Format: date-time
             * @description when it was decided, together with the payment
             * @example 2026-11-14T23:00:00.000Z
             */
            createdAt: string;
            finishedAt: string | null;
            /**
             * @description how many attempts there were
             * @example 1
             */
            attempts: number | bigint;
            /** @description In their order. */
            attemptLog: components["schemas"]["TracedAttempt"][];
        };
        TracedWait: {
            /**
             * @description the webhook that is told later
             * @example 3
             */
            webhookId: number | bigint;
            /**
             * @description `facts`: the recipient or token that its filters need is not known yet; `finality`: the payment is not final yet
             * @enum {string}
             */
            awaits: "facts" | "finality";
        };
        /** @description What became of a payment, stage by stage. */
        PaymentTrace: {
            /**
             * @description the payment, as everywhere
             * @example 0f0e7a52-5d0c-8c51-9f6e-6d8a6e0b1c11
             */
            eventId: string;
            trackingId: string | null;
            /**
             * Format: public-key
             * @description the policy that was paid by
             * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
             */
            paymentPolicy: string;
            /**
             * Format: public-key
             * @description the gateway that executed it
             * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
             */
            gateway: string;
            /**
             * @description amount in the token's smallest unit
             * @example 404000000
             */
            amount: number | bigint;
            /**
             * @description number of the payment since its policy was created
             * @example 10
             */
            recordId: number | bigint;
            chain: components["schemas"]["ChainStage"];
            stream: components["schemas"]["StreamStage"];
            stored: components["schemas"]["StoredStage"];
            announced: components["schemas"]["AnnouncedStage"];
            /** @description only with the gateway's own token, and only its own */
            deliveries?: components["schemas"]["TracedDelivery"][];
            /** @description only with the gateway's own token: webhooks without a delivery yet */
            awaiting?: components["schemas"]["TracedWait"][];
        };
        /** @description The first message of the stream; no event. */
        StreamHead: {
            /** @enum {string} */
            type: "head";
            /** @description the cursor of the last event that was stored when the stream began */
            head: string;
            /** @description where this stream begins; `since` to begin there again */
            cursor: string;
            /**
             * @description the place of the last event that was stored
             * @example 6000
             */
            position: number | bigint;
            /**
             * @description which database positions belong to
             * @example 5f0c1f6e-1d7e-4f0e-9a51-3f1f0e1c8a52
             */
            epoch: string;
        };
        /** @description One message of the stream. */
        StreamRecord: {
            /**
             * @description opaque; the same event has the same id for ever
             * @example 0f0e7a52-5d0c-8c51-9f6e-6d8a6e0b1c11
             */
            id: string;
            /**
             * @description blockchain slot
             * @example 452091000
             */
            slot: number | bigint;
            /**
             * Format: signature
             * @description transaction signature
             * @example 52d9nGdped4fFutXhQwrcp1n37ABy8BkWNmgJXWegsAgCYCbUKLkRTqRy7aXPCpvaLBEYi669qVEF6KoCEmgXmjr
             */
            signature: string;
            /**
             * @description event kind
             * @example PaymentRecord
             */
            eventName: string;
            /**
             * @description what the program emitted, value for value as it was received
             * @example {
             *       "payment_policy": "6Z3BNAsmuXhP88e9x4p2RRqtULZWSUA9xS567EftC48B",
             *       "gateway": "CfkWw3dvy5MwDsC1Gjrxeu3VCwV4bRU7AcVhasXi1icW",
             *       "amount": "404000000",
             *       "record_id": 10
             *     }
             */
            data: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description when it happened on the chain, with milliseconds
             * @example 2026-11-14T23:00:00.000Z
             */
            timestamp: string;
            /**
             * @description a confirmed transaction can still be retracted; a finalized one cannot
             * @example finalized
             * @enum {string}
             */
            finality: "confirmed" | "finalized";
            /** @description the finalized chain does not hold its transaction; only where it was asked for */
            retracted?: boolean;
            trackingId?: string | null;
            /**
             * @description `id` of its event record
             * @example 0f0e7a52-5d0c-8c51-9f6e-6d8a6e0b1c11
             */
            eventId?: string;
            recipient?: string | null;
            payer?: string | null;
            tokenMint?: string | null;
            seq?: (number | bigint) | null;
            /**
             * @description amount in the token's smallest unit, as a text
             * @example 404000000
             */
            amountString?: string;
            /**
             * @description of the token, when this service knows it
             * @example 6
             */
            decimals?: number | bigint;
            /**
             * @description of the token, when this service knows it
             * @example USDC
             */
            symbol?: string;
            /** @description where to go on from, as `since` */
            cursor: string;
            /**
             * @description its place in the stream: as `x-min-position`, answers know the event
             * @example 6001
             */
            position: number | bigint;
        };
        PaymentNotificationData: {
            trackingId: string | null;
            /** @description `id` of its event record */
            eventId: string;
            /**
             * Format: signature
             * @description transaction signature
             * @example 52d9nGdped4fFutXhQwrcp1n37ABy8BkWNmgJXWegsAgCYCbUKLkRTqRy7aXPCpvaLBEYi669qVEF6KoCEmgXmjr
             */
            signature: string;
            /**
             * @description blockchain slot
             * @example 452091000
             */
            slot: number | bigint;
            /**
             * @description Unix time in seconds, by the program
             * @example 1794697200
             */
            timestamp: number | bigint;
            /**
             * Format: public-key
             * @description the policy that was paid by
             * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
             */
            paymentPolicy: string;
            /**
             * Format: public-key
             * @description the gateway that executed it
             * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
             */
            gateway: string;
            recipient: string | null;
            payer: string | null;
            tokenMint: string | null;
            /**
             * @description in the token's smallest unit
             * @example 404000000
             */
            amount: number | bigint;
            /**
             * @description the same as a text
             * @example 404000000
             */
            amountString: string;
            memo: string | null;
            /**
             * @description number of the payment within its policy's life
             * @example 10
             */
            recordId: number | bigint;
            seq: (number | bigint) | null;
        };
        PaymentNotification: {
            /** @description the same as `webhook-id`: one per event, for every attempt, redelivery and endpoint */
            id: string;
            /** @constant */
            type: "payment.executed";
            /**
             * Format: date-time
             * @description of the event
             * @example 2026-11-14T23:00:00.000Z
             */
            timestamp: string;
            /**
             * @description a place in the stream of all events: as `x-min-position`, answers of this API know what is told here
             * @example 6001
             */
            position: number | bigint;
            data: components["schemas"]["PaymentNotificationData"];
        };
        RetractionNotification: {
            /** @description the same as `webhook-id`: one per event, for every attempt, redelivery and endpoint */
            id: string;
            /** @constant */
            type: "payment.retracted";
            /**
             * Format: date-time
             * @description of the event
             * @example 2026-11-14T23:00:00.000Z
             */
            timestamp: string;
            /**
             * @description a place in the stream of all events: as `x-min-position`, answers of this API know what is told here
             * @example 6001
             */
            position: number | bigint;
            data: components["schemas"]["PaymentNotificationData"];
        };
        LifecycleNotificationData: {
            trackingId: string | null;
            /**
             * Format: public-key
             * @description the policy
             * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
             */
            paymentPolicy: string;
            /**
             * @description `regular` or `composable`
             * @example regular
             */
            family: string;
            policyId: (number | bigint) | null;
            /**
             * Format: public-key
             * @description the gateway
             * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
             */
            gateway: string;
            recipient: string | null;
            payer: string | null;
            tokenMint: string | null;
            status: string | null;
            /**
             * @description number of its payments
             * @example 10
             */
            paymentCount: number | bigint;
            /**
             * @description their sum in the token's smallest unit
             * @example 4040000000
             */
            totalPaid: number | bigint;
            /**
             * @description the same as a text
             * @example 4040000000
             */
            totalPaidString: string;
            nextPaymentDue: (number | bigint) | null;
            dueAt: (number | bigint) | null;
            eventId: string | null;
            signature: string | null;
            slot: (number | bigint) | null;
        };
        SubscriptionCreatedNotification: {
            /** @description the same as `webhook-id`: one per event, for every attempt, redelivery and endpoint */
            id: string;
            /** @constant */
            type: "subscription.created";
            /**
             * Format: date-time
             * @description of the event
             * @example 2026-11-14T23:00:00.000Z
             */
            timestamp: string;
            position: (number | bigint) | null;
            data: components["schemas"]["LifecycleNotificationData"];
        };
        SubscriptionPausedNotification: {
            /** @description the same as `webhook-id`: one per event, for every attempt, redelivery and endpoint */
            id: string;
            /** @constant */
            type: "subscription.paused";
            /**
             * Format: date-time
             * @description of the event
             * @example 2026-11-14T23:00:00.000Z
             */
            timestamp: string;
            position: (number | bigint) | null;
            data: components["schemas"]["LifecycleNotificationData"];
        };
        SubscriptionResumedNotification: {
            /** @description the same as `webhook-id`: one per event, for every attempt, redelivery and endpoint */
            id: string;
            /** @constant */
            type: "subscription.resumed";
            /**
             * Format: date-time
             * @description of the event
             * @example 2026-11-14T23:00:00.000Z
             */
            timestamp: string;
            position: (number | bigint) | null;
            data: components["schemas"]["LifecycleNotificationData"];
        };
        SubscriptionCompletedNotification: {
            /** @description the same as `webhook-id`: one per event, for every attempt, redelivery and endpoint */
            id: string;
            /** @constant */
            type: "subscription.completed";
            /**
             * Format: date-time
             * @description of the event
             * @example 2026-11-14T23:00:00.000Z
             */
            timestamp: string;
            position: (number | bigint) | null;
            data: components["schemas"]["LifecycleNotificationData"];
        };
        SubscriptionDeletedNotification: {
            /** @description the same as `webhook-id`: one per event, for every attempt, redelivery and endpoint */
            id: string;
            /** @constant */
            type: "subscription.deleted";
            /**
             * Format: date-time
             * @description of the event
             * @example 2026-11-14T23:00:00.000Z
             */
            timestamp: string;
            position: (number | bigint) | null;
            data: components["schemas"]["LifecycleNotificationData"];
        };
        SubscriptionDueSoonNotification: {
            /** @description the same as `webhook-id`: one per event, for every attempt, redelivery and endpoint */
            id: string;
            /** @constant */
            type: "subscription.due_soon";
            /**
             * Format: date-time
             * @description of the event
             * @example 2026-11-14T23:00:00.000Z
             */
            timestamp: string;
            position: (number | bigint) | null;
            data: components["schemas"]["LifecycleNotificationData"];
        };
        SubscriptionOverdueNotification: {
            /** @description the same as `webhook-id`: one per event, for every attempt, redelivery and endpoint */
            id: string;
            /** @constant */
            type: "subscription.overdue";
            /**
             * Format: date-time
             * @description of the event
             * @example 2026-11-14T23:00:00.000Z
             */
            timestamp: string;
            position: (number | bigint) | null;
            data: components["schemas"]["LifecycleNotificationData"];
        };
        SubscriptionExpiredNotification: {
            /** @description the same as `webhook-id`: one per event, for every attempt, redelivery and endpoint */
            id: string;
            /** @constant */
            type: "subscription.expired";
            /**
             * Format: date-time
             * @description of the event
             * @example 2026-11-14T23:00:00.000Z
             */
            timestamp: string;
            position: (number | bigint) | null;
            data: components["schemas"]["LifecycleNotificationData"];
        };
        NoticeNotificationData: {
            /**
             * @description the webhook that fails
             * @example 17
             */
            webhookId: number | bigint;
            /**
             * Format: public-key
             * @description the gateway
             * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
             */
            gateway: string;
            /**
             * @description where it points
             * @example https://shop.example/webhooks/payments
             */
            endpointUrl: string;
            failingSince: string | null;
            reason: string | null;
        };
        WebhookFailingNotification: {
            /** @description the same as `webhook-id`: one per event, for every attempt, redelivery and endpoint */
            id: string;
            /** @constant */
            type: "webhook.failing";
            /**
             * Format: date-time
             * @description of the event
             * @example 2026-11-14T23:00:00.000Z
             */
            timestamp: string;
            data: components["schemas"]["NoticeNotificationData"];
        };
        WebhookDeactivatedNotification: {
            /** @description the same as `webhook-id`: one per event, for every attempt, redelivery and endpoint */
            id: string;
            /** @constant */
            type: "webhook.deactivated";
            /**
             * Format: date-time
             * @description of the event
             * @example 2026-11-14T23:00:00.000Z
             */
            timestamp: string;
            data: components["schemas"]["NoticeNotificationData"];
        };
        TestNotificationData: {
            /**
             * @description the webhook
             * @example 17
             */
            webhookId: number | bigint;
            /**
             * Format: public-key
             * @description the gateway
             * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
             */
            gateway: string;
        };
        TestNotification: {
            /** @description the same as `webhook-id`: one per event, for every attempt, redelivery and endpoint */
            id: string;
            /** @constant */
            type: "webhook.test";
            /**
             * Format: date-time
             * @description of the event
             * @example 2026-11-14T23:00:00.000Z
             */
            timestamp: string;
            data: components["schemas"]["TestNotificationData"];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description The request cannot be read. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    listSubscriptions: {
        parameters: {
            query?: {
                /**
                 * @description subscription tracking ID
                 * @example order-4711
                 */
                trackingId?: string;
                /**
                 * @description the owner's wallet, or the user payment account
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                userPublicKey?: string;
                /**
                 * @description the gateway
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                gatewayPublicKey?: string;
                /**
                 * @description the owner's wallet; only together with tokenMint
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                walletPublicKey?: string;
                /**
                 * @description the token; only together with walletPublicKey or trackingId
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                tokenMint?: string;
                /**
                 * @description who is paid
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                recipient?: string;
                /** @description where the page begins: `x-next-cursor` of the page before; the cursor carries the filters */
                cursor?: string;
            };
            header?: {
                /**
                 * @description the highest `x-position` or `position` that was seen: the answer knows at least that
                 * @example 6001
                 */
                "x-min-position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Subscriptions"];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    getOneTimePayment: {
        parameters: {
            query?: {
                /**
                 * @description only payments to this recipient
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                recipient?: string;
                /** @description true also lists what the finalized chain does not hold; each record then says which it is */
                retracted?: boolean;
                /** @description the most records to answer, 1 to 1000 */
                limit?: number | bigint;
                /** @description how many records to skip; `cursor` is faster for deep pages */
                offset?: number | bigint;
            };
            header?: {
                /**
                 * @description the highest `x-position` or `position` that was seen: the answer knows at least that
                 * @example 6001
                 */
                "x-min-position"?: string;
            };
            path: {
                /**
                 * @description payment tracking ID
                 * @example order-4711
                 */
                trackingId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OneTimePayments"];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description There is no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /**
                 * @description transaction signature
                 * @example 52d9nGdped4fFutXhQwrcp1n37ABy8BkWNmgJXWegsAgCYCbUKLkRTqRy7aXPCpvaLBEYi669qVEF6KoCEmgXmjr
                 */
                signature?: string;
                /** @description exact blockchain slot */
                slot?: number | bigint;
                /**
                 * @description event name, with or without the program's prefix
                 * @example PaymentRecord
                 */
                eventName?: string;
                /**
                 * @description tracking ID
                 * @example order-4711
                 */
                trackingId?: string;
                /**
                 * @description the gateway of the event
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                gateway?: string;
                /**
                 * @description the policy of the event
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                paymentPolicy?: string;
                /**
                 * @description events at or after this time; without an offset it is UTC
                 * @example 2026-11-14T23:00:00.000Z
                 */
                startTime?: string;
                /**
                 * @description events at or before this time; without an offset it is UTC, and a date alone is the whole day
                 * @example 2026-11-14T23:00:00.000Z
                 */
                endTime?: string;
                /** @description minimum slot, inclusive */
                minSlot?: number | bigint;
                /** @description maximum slot, inclusive */
                maxSlot?: number | bigint;
                /** @description true also lists what the finalized chain does not hold; each record then says which it is */
                retracted?: boolean;
                /** @description the most records to answer, 1 to 1000 */
                limit?: number | bigint;
                /** @description how many records to skip; `cursor` is faster for deep pages */
                offset?: number | bigint;
                /** @description where the page begins: `x-next-cursor` of the page before; the cursor carries the filters */
                cursor?: string;
            };
            header?: {
                /**
                 * @description the highest `x-position` or `position` that was seen: the answer knows at least that
                 * @example 6001
                 */
                "x-min-position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventRecord"][];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The event was archived: operators have it, and `GET /v1/health` tells where lists begin. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArchivedAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    listPayments: {
        parameters: {
            query?: {
                /**
                 * @description the gateway of the event
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                gateway?: string;
                /**
                 * @description the policy of the event
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                paymentPolicy?: string;
                /**
                 * @description who paid: payments without a policy alone; those of policies are found by `paymentPolicy`
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                directPayer?: string;
                /**
                 * @description who was paid: payments without a policy alone
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                directRecipient?: string;
                /** @description true also lists what the finalized chain does not hold; each record then says which it is */
                retracted?: boolean;
                /** @description the most records to answer, 1 to 1000 */
                limit?: number | bigint;
                /** @description how many records to skip; `cursor` is faster for deep pages */
                offset?: number | bigint;
                /** @description where the page begins: `x-next-cursor` of the page before; the cursor carries the filters */
                cursor?: string;
            };
            header?: {
                /**
                 * @description the highest `x-position` or `position` that was seen: the answer knows at least that
                 * @example 6001
                 */
                "x-min-position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventRecord"][];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The event was archived: operators have it, and `GET /v1/health` tells where lists begin. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArchivedAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    listPoliciesCreated: {
        parameters: {
            query?: {
                /**
                 * @description the gateway of the event
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                gateway?: string;
                /**
                 * @description who is paid
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                recipient?: string;
                /**
                 * @description the user payment account
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                userPayment?: string;
                /** @description true also lists what the finalized chain does not hold; each record then says which it is */
                retracted?: boolean;
                /** @description the most records to answer, 1 to 1000 */
                limit?: number | bigint;
                /** @description how many records to skip; `cursor` is faster for deep pages */
                offset?: number | bigint;
                /** @description where the page begins: `x-next-cursor` of the page before; the cursor carries the filters */
                cursor?: string;
            };
            header?: {
                /**
                 * @description the highest `x-position` or `position` that was seen: the answer knows at least that
                 * @example 6001
                 */
                "x-min-position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventRecord"][];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The event was archived: operators have it, and `GET /v1/health` tells where lists begin. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArchivedAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    listPoliciesDeleted: {
        parameters: {
            query?: {
                /**
                 * @description the policy of the event
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                paymentPolicy?: string;
                /**
                 * @description the wallet that owns the account
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                owner?: string;
                /** @description true also lists what the finalized chain does not hold; each record then says which it is */
                retracted?: boolean;
                /** @description the most records to answer, 1 to 1000 */
                limit?: number | bigint;
                /** @description how many records to skip; `cursor` is faster for deep pages */
                offset?: number | bigint;
                /** @description where the page begins: `x-next-cursor` of the page before; the cursor carries the filters */
                cursor?: string;
            };
            header?: {
                /**
                 * @description the highest `x-position` or `position` that was seen: the answer knows at least that
                 * @example 6001
                 */
                "x-min-position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventRecord"][];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The event was archived: operators have it, and `GET /v1/health` tells where lists begin. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArchivedAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    listPolicyStatusChanges: {
        parameters: {
            query?: {
                /**
                 * @description the policy of the event
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                paymentPolicy?: string;
                /** @description true also lists what the finalized chain does not hold; each record then says which it is */
                retracted?: boolean;
                /** @description the most records to answer, 1 to 1000 */
                limit?: number | bigint;
                /** @description how many records to skip; `cursor` is faster for deep pages */
                offset?: number | bigint;
                /** @description where the page begins: `x-next-cursor` of the page before; the cursor carries the filters */
                cursor?: string;
            };
            header?: {
                /**
                 * @description the highest `x-position` or `position` that was seen: the answer knows at least that
                 * @example 6001
                 */
                "x-min-position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventRecord"][];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The event was archived: operators have it, and `GET /v1/health` tells where lists begin. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArchivedAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    listGatewaysCreated: {
        parameters: {
            query?: {
                /**
                 * @description the gateway's authority
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                authority?: string;
                /** @description true also lists what the finalized chain does not hold; each record then says which it is */
                retracted?: boolean;
                /** @description the most records to answer, 1 to 1000 */
                limit?: number | bigint;
                /** @description how many records to skip; `cursor` is faster for deep pages */
                offset?: number | bigint;
                /** @description where the page begins: `x-next-cursor` of the page before; the cursor carries the filters */
                cursor?: string;
            };
            header?: {
                /**
                 * @description the highest `x-position` or `position` that was seen: the answer knows at least that
                 * @example 6001
                 */
                "x-min-position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventRecord"][];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The event was archived: operators have it, and `GET /v1/health` tells where lists begin. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArchivedAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    listGatewaysDeleted: {
        parameters: {
            query?: {
                /**
                 * @description the gateway of the event
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                gateway?: string;
                /**
                 * @description the gateway's authority
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                authority?: string;
                /** @description true also lists what the finalized chain does not hold; each record then says which it is */
                retracted?: boolean;
                /** @description the most records to answer, 1 to 1000 */
                limit?: number | bigint;
                /** @description how many records to skip; `cursor` is faster for deep pages */
                offset?: number | bigint;
                /** @description where the page begins: `x-next-cursor` of the page before; the cursor carries the filters */
                cursor?: string;
            };
            header?: {
                /**
                 * @description the highest `x-position` or `position` that was seen: the answer knows at least that
                 * @example 6001
                 */
                "x-min-position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventRecord"][];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The event was archived: operators have it, and `GET /v1/health` tells where lists begin. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArchivedAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    listGatewaySignerChanges: {
        parameters: {
            query?: {
                /**
                 * @description the gateway of the event
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                gateway?: string;
                /** @description true also lists what the finalized chain does not hold; each record then says which it is */
                retracted?: boolean;
                /** @description the most records to answer, 1 to 1000 */
                limit?: number | bigint;
                /** @description how many records to skip; `cursor` is faster for deep pages */
                offset?: number | bigint;
                /** @description where the page begins: `x-next-cursor` of the page before; the cursor carries the filters */
                cursor?: string;
            };
            header?: {
                /**
                 * @description the highest `x-position` or `position` that was seen: the answer knows at least that
                 * @example 6001
                 */
                "x-min-position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventRecord"][];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The event was archived: operators have it, and `GET /v1/health` tells where lists begin. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArchivedAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    listGatewayFeeBpsChanges: {
        parameters: {
            query?: {
                /**
                 * @description the gateway of the event
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                gateway?: string;
                /** @description true also lists what the finalized chain does not hold; each record then says which it is */
                retracted?: boolean;
                /** @description the most records to answer, 1 to 1000 */
                limit?: number | bigint;
                /** @description how many records to skip; `cursor` is faster for deep pages */
                offset?: number | bigint;
                /** @description where the page begins: `x-next-cursor` of the page before; the cursor carries the filters */
                cursor?: string;
            };
            header?: {
                /**
                 * @description the highest `x-position` or `position` that was seen: the answer knows at least that
                 * @example 6001
                 */
                "x-min-position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventRecord"][];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The event was archived: operators have it, and `GET /v1/health` tells where lists begin. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArchivedAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    listGatewayFeeRecipientChanges: {
        parameters: {
            query?: {
                /**
                 * @description the gateway of the event
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                gateway?: string;
                /** @description true also lists what the finalized chain does not hold; each record then says which it is */
                retracted?: boolean;
                /** @description the most records to answer, 1 to 1000 */
                limit?: number | bigint;
                /** @description how many records to skip; `cursor` is faster for deep pages */
                offset?: number | bigint;
                /** @description where the page begins: `x-next-cursor` of the page before; the cursor carries the filters */
                cursor?: string;
            };
            header?: {
                /**
                 * @description the highest `x-position` or `position` that was seen: the answer knows at least that
                 * @example 6001
                 */
                "x-min-position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventRecord"][];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The event was archived: operators have it, and `GET /v1/health` tells where lists begin. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArchivedAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    listUserPaymentsCreated: {
        parameters: {
            query?: {
                /**
                 * @description the user payment account
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                userPayment?: string;
                /**
                 * @description the wallet that owns the account
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                owner?: string;
                /**
                 * @description the token
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                tokenMint?: string;
                /** @description true also lists what the finalized chain does not hold; each record then says which it is */
                retracted?: boolean;
                /** @description the most records to answer, 1 to 1000 */
                limit?: number | bigint;
                /** @description how many records to skip; `cursor` is faster for deep pages */
                offset?: number | bigint;
                /** @description where the page begins: `x-next-cursor` of the page before; the cursor carries the filters */
                cursor?: string;
            };
            header?: {
                /**
                 * @description the highest `x-position` or `position` that was seen: the answer knows at least that
                 * @example 6001
                 */
                "x-min-position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventRecord"][];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The event was archived: operators have it, and `GET /v1/health` tells where lists begin. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArchivedAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    listReferralRewards: {
        parameters: {
            query?: {
                /**
                 * @description the gateway of the payment
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                gateway?: string;
                /**
                 * @description the policy of the payment
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                paymentPolicy?: string;
                /** @description true also lists what the finalized chain does not hold; each record then says which it is */
                retracted?: boolean;
                /** @description the most records to answer, 1 to 1000 */
                limit?: number | bigint;
                /** @description how many records to skip; `cursor` is faster for deep pages */
                offset?: number | bigint;
                /** @description where the page begins: `x-next-cursor` of the page before; the cursor carries the filters */
                cursor?: string;
            };
            header?: {
                /**
                 * @description the highest `x-position` or `position` that was seen: the answer knows at least that
                 * @example 6001
                 */
                "x-min-position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventRecord"][];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The event was archived: operators have it, and `GET /v1/health` tells where lists begin. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArchivedAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    listProgramConfigsCreated: {
        parameters: {
            query?: {
                /**
                 * @description the admin of the program
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                admin?: string;
                /** @description true also lists what the finalized chain does not hold; each record then says which it is */
                retracted?: boolean;
                /** @description the most records to answer, 1 to 1000 */
                limit?: number | bigint;
                /** @description how many records to skip; `cursor` is faster for deep pages */
                offset?: number | bigint;
                /** @description where the page begins: `x-next-cursor` of the page before; the cursor carries the filters */
                cursor?: string;
            };
            header?: {
                /**
                 * @description the highest `x-position` or `position` that was seen: the answer knows at least that
                 * @example 6001
                 */
                "x-min-position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventRecord"][];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The event was archived: operators have it, and `GET /v1/health` tells where lists begin. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArchivedAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    countEvents: {
        parameters: {
            query?: {
                /**
                 * @description event name, with or without the program's prefix
                 * @example PaymentRecord
                 */
                eventName?: string;
                /**
                 * @description events at or after this time; without an offset it is UTC
                 * @example 2026-11-14T23:00:00.000Z
                 */
                startTime?: string;
                /**
                 * @description events at or before this time; without an offset it is UTC, and a date alone is the whole day
                 * @example 2026-11-14T23:00:00.000Z
                 */
                endTime?: string;
            };
            header?: {
                /**
                 * @description the highest `x-position` or `position` that was seen: the answer knows at least that
                 * @example 6001
                 */
                "x-min-position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventCount"];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    listEventNames: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description the highest `x-position` or `position` that was seen: the answer knows at least that
                 * @example 6001
                 */
                "x-min-position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Sorted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string[];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    getPaymentStats: {
        parameters: {
            query?: {
                /**
                 * @description only its payments
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                gateway?: string;
                /**
                 * @description events at or after this time; without an offset it is UTC
                 * @example 2026-11-14T23:00:00.000Z
                 */
                startTime?: string;
                /**
                 * @description events at or before this time; without an offset it is UTC, and a date alone is the whole day
                 * @example 2026-11-14T23:00:00.000Z
                 */
                endTime?: string;
            };
            header?: {
                /**
                 * @description the highest `x-position` or `position` that was seen: the answer knows at least that
                 * @example 6001
                 */
                "x-min-position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentStats"];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    getOverview: {
        parameters: {
            query?: {
                /**
                 * @description only its payments
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                gateway?: string;
            };
            header?: {
                /**
                 * @description the highest `x-position` or `position` that was seen: the answer knows at least that
                 * @example 6001
                 */
                "x-min-position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Overview"];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    checkPayment: {
        parameters: {
            query: {
                /**
                 * @description what the payer was asked to pay by
                 * @example order-4711
                 */
                trackingId: string;
                /**
                 * @description who must have been paid
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                recipient?: string;
                /**
                 * @description the token that must have been paid in
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                tokenMint?: string;
                /**
                 * @description the least that one payment must have paid, in the token's smallest unit
                 * @example 404000000
                 */
                amount?: string;
                /**
                 * @description a confirmed transaction can still be retracted; a finalized one cannot
                 * @example finalized
                 */
                finality?: "confirmed" | "finalized";
            };
            header?: {
                /**
                 * @description the highest `x-position` or `position` that was seen: the answer knows at least that
                 * @example 6001
                 */
                "x-min-position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentCheck"];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    listTokenMints: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenMint"][];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    listPaymentPolicies: {
        parameters: {
            query?: {
                /**
                 * @description subscription tracking ID
                 * @example order-4711
                 */
                trackingId?: string;
                /**
                 * @description the owner's wallet, or the user payment account
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                userPublicKey?: string;
                /**
                 * @description the gateway
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                gatewayPublicKey?: string;
                /**
                 * @description the owner's wallet; only together with tokenMint
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                walletPublicKey?: string;
                /**
                 * @description the token; only together with walletPublicKey or trackingId
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                tokenMint?: string;
                /**
                 * @description who is paid
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                recipient?: string;
                /** @description where the page begins: `x-next-cursor` of the page before; the cursor carries the filters */
                cursor?: string;
            };
            header?: {
                /**
                 * @description the highest `x-position` or `position` that was seen: the answer knows at least that
                 * @example 6001
                 */
                "x-min-position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentPolicies"];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    getPaymentPolicy: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description the highest `x-position` or `position` that was seen: the answer knows at least that
                 * @example 6001
                 */
                "x-min-position"?: string;
            };
            path: {
                /**
                 * @description the policy
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentPolicy"];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description There is no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    listPaymentPolicyExecutions: {
        parameters: {
            query?: {
                /** @description true also lists what the finalized chain does not hold; each record then says which it is */
                retracted?: boolean;
                /** @description the most records to answer, 1 to 1000 */
                limit?: number | bigint;
                /** @description how many records to skip; `cursor` is faster for deep pages */
                offset?: number | bigint;
                /** @description where the page begins: `x-next-cursor` of the page before; the cursor carries the filters */
                cursor?: string;
            };
            header?: {
                /**
                 * @description the highest `x-position` or `position` that was seen: the answer knows at least that
                 * @example 6001
                 */
                "x-min-position"?: string;
            };
            path: {
                /**
                 * @description the policy
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentPolicyExecutions"];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The event was archived: operators have it, and `GET /v1/health` tells where lists begin. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArchivedAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    listComposablePolicies: {
        parameters: {
            query?: {
                /**
                 * @description subscription tracking ID
                 * @example order-4711
                 */
                trackingId?: string;
                /**
                 * @description the owner's wallet, or the user payment account
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                userPublicKey?: string;
                /**
                 * @description the gateway
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                gatewayPublicKey?: string;
                /**
                 * @description the owner's wallet; only together with tokenMint
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                walletPublicKey?: string;
                /**
                 * @description the token; only together with walletPublicKey or trackingId
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                tokenMint?: string;
                /**
                 * @description who is paid
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                recipient?: string;
                /** @description where the page begins: `x-next-cursor` of the page before; the cursor carries the filters */
                cursor?: string;
            };
            header?: {
                /**
                 * @description the highest `x-position` or `position` that was seen: the answer knows at least that
                 * @example 6001
                 */
                "x-min-position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ComposablePolicies"];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    getComposablePolicy: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description the highest `x-position` or `position` that was seen: the answer knows at least that
                 * @example 6001
                 */
                "x-min-position"?: string;
            };
            path: {
                /**
                 * @description the policy
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ComposablePolicy"];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description There is no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    listComposablePolicyExecutions: {
        parameters: {
            query?: {
                /** @description true also lists what the finalized chain does not hold; each record then says which it is */
                retracted?: boolean;
                /** @description the most records to answer, 1 to 1000 */
                limit?: number | bigint;
                /** @description how many records to skip; `cursor` is faster for deep pages */
                offset?: number | bigint;
                /** @description where the page begins: `x-next-cursor` of the page before; the cursor carries the filters */
                cursor?: string;
            };
            header?: {
                /**
                 * @description the highest `x-position` or `position` that was seen: the answer knows at least that
                 * @example 6001
                 */
                "x-min-position"?: string;
            };
            path: {
                /**
                 * @description the policy
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ComposablePolicyExecutions"];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The event was archived: operators have it, and `GET /v1/health` tells where lists begin. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArchivedAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    listEventsOfName: {
        parameters: {
            query?: {
                /** @description true also lists what the finalized chain does not hold; each record then says which it is */
                retracted?: boolean;
                /** @description the most records to answer, 1 to 1000 */
                limit?: number | bigint;
                /** @description how many records to skip; `cursor` is faster for deep pages */
                offset?: number | bigint;
                /** @description where the page begins: `x-next-cursor` of the page before; the cursor carries the filters */
                cursor?: string;
            };
            header?: {
                /**
                 * @description the highest `x-position` or `position` that was seen: the answer knows at least that
                 * @example 6001
                 */
                "x-min-position"?: string;
            };
            path: {
                /**
                 * @description event name, with or without the program's prefix
                 * @example PaymentRecord
                 */
                eventName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventRecord"][];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The event was archived: operators have it, and `GET /v1/health` tells where lists begin. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArchivedAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    listPrefixedEventNames: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description the highest `x-position` or `position` that was seen: the answer knows at least that
                 * @example 6001
                 */
                "x-min-position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Sorted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string[];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    challengeGateway: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description the gateway that signs in
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                gateway: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Challenge"];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description There is no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    verifyGateway: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description the gateway that signs in
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                gateway: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Proof"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The proof does not hold. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    getKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeySet"];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    listKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeySet"];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    issueToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    walletPublicKey?: string | null;
                    recipient?: string | null;
                    tokenMint?: string | null;
                    policyAddress?: string | null;
                    trackingId?: string | null;
                    transactionSignature?: string | null;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProofOfPayment"];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description There is no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Another wallet made the payment of the transaction. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    refreshToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProofOfPayment"];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The token is none of ours, or it ended too long ago. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description There is no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Another wallet made the payment of the transaction. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    listApiKeys: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description the highest `x-position` or `position` that was seen: the answer knows at least that
                 * @example 6001
                 */
                "x-min-position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"][];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description There is no token, or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description An API key was sent instead of a token of a wallet. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description what its owner calls it */
                    name: string;
                    /** @description what the key may do */
                    scopes: ("webhooks:read" | "webhooks:write" | "merchant:read")[];
                    /** @description ISO 8601; from then on it is refused. Without it the key does not expire */
                    expiresAt?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedApiKey"];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description There is no token, or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description An API key was sent instead of a token of a wallet. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The gateway has too many keys. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the key */
                id: number | bigint;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description There is no token, or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description An API key was sent instead of a token of a wallet. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The gateway has no such key. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    listMerchantPolicies: {
        parameters: {
            query?: {
                /** @description the most records to answer; more than 1000 counts as 1000, less than 1 as the default */
                limit?: number | bigint;
                /** @description how many records to skip; `cursor` is faster for deep pages */
                offset?: number | bigint;
            };
            header?: {
                /**
                 * @description the highest `x-position` or `position` that was seen: the answer knows at least that
                 * @example 6001
                 */
                "x-min-position"?: string;
            };
            path: {
                /**
                 * @description the gateway of the token
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                gateway: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MerchantPolicies"];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description There is no token, or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The token is of another gateway. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    listSubscribers: {
        parameters: {
            query?: {
                /** @description owners of policies who never paid instead */
                neverPaid?: boolean;
                /** @description the most records to answer; more than 1000 counts as 1000, less than 1 as the default */
                limit?: number | bigint;
                /** @description how many records to skip; `cursor` is faster for deep pages */
                offset?: number | bigint;
                /** @description where the page begins: `x-next-cursor` of the page before; the cursor carries the filters */
                cursor?: string;
            };
            header?: {
                /**
                 * @description the highest `x-position` or `position` that was seen: the answer knows at least that
                 * @example 6001
                 */
                "x-min-position"?: string;
            };
            path: {
                /**
                 * @description the gateway of the token
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                gateway: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Subscribers"];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description There is no token, or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The token is of another gateway. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    getRevenue: {
        parameters: {
            query?: {
                /**
                 * @description the first moment of the span
                 * @example 2026-11-14T23:00:00.000Z
                 */
                startTime?: string;
                /**
                 * @description the first moment after the span
                 * @example 2026-11-14T23:00:00.000Z
                 */
                endTime?: string;
                /** @description the smallest bucket; default `day` */
                bucket?: "day" | "week" | "month";
            };
            header?: {
                /**
                 * @description the highest `x-position` or `position` that was seen: the answer knows at least that
                 * @example 6001
                 */
                "x-min-position"?: string;
            };
            path: {
                /**
                 * @description the gateway of the token
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                gateway: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Revenue"];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description There is no token, or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The token is of another gateway. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    listUpcoming: {
        parameters: {
            query?: {
                /**
                 * @description the first moment of the span
                 * @example 2026-11-14T23:00:00.000Z
                 */
                startTime?: string;
                /**
                 * @description the first moment after the span
                 * @example 2026-11-14T23:00:00.000Z
                 */
                endTime?: string;
                /** @description the most records to answer, 1 to 1000 */
                limit?: number | bigint;
                /** @description how many records to skip; `cursor` is faster for deep pages */
                offset?: number | bigint;
            };
            header?: {
                /**
                 * @description the highest `x-position` or `position` that was seen: the answer knows at least that
                 * @example 6001
                 */
                "x-min-position"?: string;
            };
            path: {
                /**
                 * @description the gateway of the token
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                gateway: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upcoming"];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description There is no token, or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The token is of another gateway. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    exportMerchantData: {
        parameters: {
            query?: {
                /** @description always `csv` */
                format?: "csv";
            };
            header?: {
                /**
                 * @description the highest `x-position` or `position` that was seen: the answer knows at least that
                 * @example 6001
                 */
                "x-min-position"?: string;
            };
            path: {
                /**
                 * @description the gateway of the token
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                gateway: string;
                /** @description what is exported */
                kind: "payments" | "policies" | "subscribers" | "revenue";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description There is no token, or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The token is of another gateway. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /** @description leave inactive ones out */
                active_only?: boolean;
                /** @description the most records to answer, 1 to 1000 */
                limit?: number | bigint;
                /** @description how many records to skip; `cursor` is faster for deep pages */
                offset?: number | bigint;
            };
            header?: {
                /**
                 * @description the highest `x-position` or `position` that was seen: the answer knows at least that
                 * @example 6001
                 */
                "x-min-position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"][];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description There is no token, or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The token is of another gateway. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The gateway of the token has no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: public-key
                     * @description the gateway of the token
                     * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                     */
                    gateway_pubkey: string;
                    /** @description https, public, on port 443 or 8443 */
                    endpoint_url: string;
                    /** @description whether it receives notifications; deactivating cancels open deliveries */
                    active?: boolean;
                    /** @description what it is told of; without a choice of payments alone */
                    eventTypes?: ("payment.executed" | "payment.retracted" | "subscription.created" | "subscription.paused" | "subscription.resumed" | "subscription.completed" | "subscription.deleted" | "subscription.due_soon" | "subscription.overdue" | "subscription.expired" | "webhook.failing" | "webhook.deactivated")[];
                    /**
                     * @description `finalized`: it is told of a payment once that is final, and never of one that is retracted
                     * @enum {unknown}
                     */
                    finality?: "confirmed" | "finalized";
                    /**
                     * @description how payments are told: `standard`, or `tributary`, the body that the incumbent sends
                     * @enum {unknown}
                     */
                    format?: "standard" | "tributary";
                    description?: string | null;
                    headers?: {
                        [key: string]: string;
                    } | null;
                    filters?: components["schemas"]["WebhookFilters"] | null;
                    /** @description one delivery at a time, in their order; a delivery waits until the one before it has ended */
                    ordered?: boolean;
                    /** @description with `ordered`: an open delivery that is older than this holds back no later one */
                    orderedWithinSeconds?: number | bigint;
                    /** @description when the endpoint answers again, what failed in the last 72 hours is sent again, in up to 6 rounds of 4 tries */
                    recover?: boolean;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedWebhook"];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description There is no token, or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The token is of another gateway. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The gateway of the token has no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description It cannot be done as things stand; the code says why. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    listWebhooksOfGateway: {
        parameters: {
            query?: {
                /** @description leave inactive ones out */
                active_only?: boolean;
            };
            header?: {
                /**
                 * @description the highest `x-position` or `position` that was seen: the answer knows at least that
                 * @example 6001
                 */
                "x-min-position"?: string;
            };
            path: {
                /**
                 * @description the gateway of the token
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                gatewayPubkey: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"][];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description There is no token, or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The token is of another gateway. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The gateway of the token has no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    deleteWebhooksOfGateway: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description the gateway of the token
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                gatewayPubkey: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description There is no token, or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The token is of another gateway. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The gateway of the token has no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description the highest `x-position` or `position` that was seen: the answer knows at least that
                 * @example 6001
                 */
                "x-min-position"?: string;
            };
            path: {
                /** @description id of the webhook */
                id: number | bigint;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description There is no token, or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The token is of another gateway. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The gateway of the token has no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the webhook */
                id: number | bigint;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description https, public, on port 443 or 8443 */
                    endpoint_url?: string;
                    /** @description whether it receives notifications; deactivating cancels open deliveries */
                    active?: boolean;
                    /** @description what it is told of; without a choice of payments alone */
                    eventTypes?: ("payment.executed" | "payment.retracted" | "subscription.created" | "subscription.paused" | "subscription.resumed" | "subscription.completed" | "subscription.deleted" | "subscription.due_soon" | "subscription.overdue" | "subscription.expired" | "webhook.failing" | "webhook.deactivated")[];
                    /**
                     * @description `finalized`: it is told of a payment once that is final, and never of one that is retracted
                     * @enum {unknown}
                     */
                    finality?: "confirmed" | "finalized";
                    /**
                     * @description how payments are told: `standard`, or `tributary`, the body that the incumbent sends
                     * @enum {unknown}
                     */
                    format?: "standard" | "tributary";
                    description?: string | null;
                    headers?: {
                        [key: string]: string;
                    } | null;
                    filters?: components["schemas"]["WebhookFilters"] | null;
                    /** @description one delivery at a time, in their order; a delivery waits until the one before it has ended */
                    ordered?: boolean;
                    /** @description with `ordered`: an open delivery that is older than this holds back no later one */
                    orderedWithinSeconds?: number | bigint;
                    /** @description when the endpoint answers again, what failed in the last 72 hours is sent again, in up to 6 rounds of 4 tries */
                    recover?: boolean;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description There is no token, or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The token is of another gateway. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The gateway of the token has no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the webhook */
                id: number | bigint;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description There is no token, or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The token is of another gateway. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The gateway of the token has no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    getGatewaySettings: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description the highest `x-position` or `position` that was seen: the answer knows at least that
                 * @example 6001
                 */
                "x-min-position"?: string;
            };
            path: {
                /**
                 * @description the gateway of the token
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                gateway: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewaySettings"];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description There is no token, or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The token is of another gateway. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The gateway of the token has no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    updateGatewaySettings: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description the gateway of the token
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                gateway: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    webhookFormat: ("standard" | "tributary") | null;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewaySettings"];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description There is no token, or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The token is of another gateway. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The gateway of the token has no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    getWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description the highest `x-position` or `position` that was seen: the answer knows at least that
                 * @example 6001
                 */
                "x-min-position"?: string;
            };
            path: {
                /** @description id of the webhook */
                id: number | bigint;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookSecret"];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description There is no token, or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The token is of another gateway. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The gateway of the token has no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the webhook */
                id: number | bigint;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookSecret"];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description There is no token, or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The token is of another gateway. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The gateway of the token has no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    searchDeliveries: {
        parameters: {
            query?: {
                /** @description where the delivery stands */
                status?: "pending" | "waiting" | "delivered" | "failed" | "cancelled";
                /**
                 * @description only of payments and policies with this tracking ID
                 * @example order-4711
                 */
                trackingId?: string;
                /**
                 * @description only of events of this transaction
                 * @example 52d9nGdped4fFutXhQwrcp1n37ABy8BkWNmgJXWegsAgCYCbUKLkRTqRy7aXPCpvaLBEYi669qVEF6KoCEmgXmjr
                 */
                signature?: string;
                /** @description the most records to answer, 1 to 1000 */
                limit?: number | bigint;
                /** @description how many records to skip; `cursor` is faster for deep pages */
                offset?: number | bigint;
            };
            header?: {
                /**
                 * @description the highest `x-position` or `position` that was seen: the answer knows at least that
                 * @example 6001
                 */
                "x-min-position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"][];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description There is no token, or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The token is of another gateway. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The gateway of the token has no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                /** @description where the delivery stands */
                status?: "pending" | "waiting" | "delivered" | "failed" | "cancelled";
                /**
                 * @description only of payments and policies with this tracking ID
                 * @example order-4711
                 */
                trackingId?: string;
                /**
                 * @description only of events of this transaction
                 * @example 52d9nGdped4fFutXhQwrcp1n37ABy8BkWNmgJXWegsAgCYCbUKLkRTqRy7aXPCpvaLBEYi669qVEF6KoCEmgXmjr
                 */
                signature?: string;
                /** @description the most records to answer, 1 to 1000 */
                limit?: number | bigint;
                /** @description how many records to skip; `cursor` is faster for deep pages */
                offset?: number | bigint;
            };
            header?: {
                /**
                 * @description the highest `x-position` or `position` that was seen: the answer knows at least that
                 * @example 6001
                 */
                "x-min-position"?: string;
            };
            path: {
                /** @description id of the webhook */
                id: number | bigint;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"][];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description There is no token, or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The token is of another gateway. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The gateway of the token has no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    getDelivery: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description the highest `x-position` or `position` that was seen: the answer knows at least that
                 * @example 6001
                 */
                "x-min-position"?: string;
            };
            path: {
                /** @description id of the webhook */
                id: number | bigint;
                /** @description id of the delivery */
                deliveryId: number | bigint;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryDetail"];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description There is no token, or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The token is of another gateway. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The gateway of the token has no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    redeliver: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the webhook */
                id: number | bigint;
                /** @description id of the delivery */
                deliveryId: number | bigint;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description There is no token, or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The token is of another gateway. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The gateway of the token has no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description It cannot be done as things stand; the code says why. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    redeliverMany: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the webhook */
                id: number | bigint;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description ISO 8601; deliveries made then or later */
                    since: string;
                    /** @description ISO 8601; deliveries made then or earlier */
                    until?: string;
                    /** @enum {unknown} */
                    status?: "failed" | "cancelled" | "delivered";
                };
            };
        };
        responses: {
            /** @description Default Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Redelivery"];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description There is no token, or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The token is of another gateway. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The gateway of the token has no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description It cannot be done as things stand; the code says why. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the webhook */
                id: number | bigint;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description There is no token, or none that counts. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The token is of another gateway. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The gateway of the token has no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description It cannot be done as things stand; the code says why. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    tracePayments: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description the highest `x-position` or `position` that was seen: the answer knows at least that
                 * @example 6001
                 */
                "x-min-position"?: string;
            };
            path: {
                /**
                 * @description transaction signature
                 * @example 52d9nGdped4fFutXhQwrcp1n37ABy8BkWNmgJXWegsAgCYCbUKLkRTqRy7aXPCpvaLBEYi669qVEF6KoCEmgXmjr
                 */
                signature: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description In their order in the transaction. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentTrace"][];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description A token was sent, and it does not count. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description An API key was sent that lacks the scope `webhooks:read`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description There is no such thing. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The event was archived: operators have it, and `GET /v1/health` tells where lists begin. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArchivedAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    streamEvents: {
        parameters: {
            query?: {
                /**
                 * @description transaction signature
                 * @example 52d9nGdped4fFutXhQwrcp1n37ABy8BkWNmgJXWegsAgCYCbUKLkRTqRy7aXPCpvaLBEYi669qVEF6KoCEmgXmjr
                 */
                signature?: string;
                /** @description exact blockchain slot */
                slot?: number | bigint;
                /**
                 * @description event name, with or without the program's prefix
                 * @example PaymentRecord
                 */
                eventName?: string;
                /**
                 * @description tracking ID
                 * @example order-4711
                 */
                trackingId?: string;
                /**
                 * @description the gateway of the event
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                gateway?: string;
                /**
                 * @description the policy of the event
                 * @example 7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz
                 */
                paymentPolicy?: string;
                /**
                 * @description events at or after this time; without an offset it is UTC
                 * @example 2026-11-14T23:00:00.000Z
                 */
                startTime?: string;
                /**
                 * @description events at or before this time; without an offset it is UTC, and a date alone is the whole day
                 * @example 2026-11-14T23:00:00.000Z
                 */
                endTime?: string;
                /** @description minimum slot, inclusive */
                minSlot?: number | bigint;
                /** @description maximum slot, inclusive */
                maxSlot?: number | bigint;
                /** @description the `cursor` of the last record that was read, or 0 for the first event; without it the stream begins now */
                since?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The connection is a WebSocket now. */
            101: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What each message of the socket looks like; HTTP answers 101, or a refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StreamHead"] | components["schemas"]["StreamRecord"];
                };
            };
            /** @description A parameter is wrong; the sentence names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The event was archived: operators have it, and `GET /v1/health` tells where lists begin. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArchivedAnswer"];
                };
            };
            /** @description Connect with a WebSocket. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Too many requests; `retry-after` says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description Something went wrong on our side. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description The database cannot answer now, or the question is too broad: the code names the filter to add. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    onPaymentExecuted: {
        parameters: {
            query?: never;
            header: {
                /** @description dedupe by it */
                "webhook-id": string;
                /** @description Unix time in seconds of this attempt */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64; several during a rotation */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentNotification"];
            };
        };
        responses: {
            /** @description Any 2xx is success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Deactivates the webhook; every other answer is a failure, and is tried again. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onPaymentRetracted: {
        parameters: {
            query?: never;
            header: {
                /** @description dedupe by it */
                "webhook-id": string;
                /** @description Unix time in seconds of this attempt */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64; several during a rotation */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RetractionNotification"];
            };
        };
        responses: {
            /** @description Any 2xx is success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Deactivates the webhook; every other answer is a failure, and is tried again. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onSubscriptionCreated: {
        parameters: {
            query?: never;
            header: {
                /** @description dedupe by it */
                "webhook-id": string;
                /** @description Unix time in seconds of this attempt */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64; several during a rotation */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscriptionCreatedNotification"];
            };
        };
        responses: {
            /** @description Any 2xx is success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Deactivates the webhook; every other answer is a failure, and is tried again. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onSubscriptionPaused: {
        parameters: {
            query?: never;
            header: {
                /** @description dedupe by it */
                "webhook-id": string;
                /** @description Unix time in seconds of this attempt */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64; several during a rotation */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscriptionPausedNotification"];
            };
        };
        responses: {
            /** @description Any 2xx is success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Deactivates the webhook; every other answer is a failure, and is tried again. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onSubscriptionResumed: {
        parameters: {
            query?: never;
            header: {
                /** @description dedupe by it */
                "webhook-id": string;
                /** @description Unix time in seconds of this attempt */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64; several during a rotation */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscriptionResumedNotification"];
            };
        };
        responses: {
            /** @description Any 2xx is success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Deactivates the webhook; every other answer is a failure, and is tried again. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onSubscriptionCompleted: {
        parameters: {
            query?: never;
            header: {
                /** @description dedupe by it */
                "webhook-id": string;
                /** @description Unix time in seconds of this attempt */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64; several during a rotation */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscriptionCompletedNotification"];
            };
        };
        responses: {
            /** @description Any 2xx is success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Deactivates the webhook; every other answer is a failure, and is tried again. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onSubscriptionDeleted: {
        parameters: {
            query?: never;
            header: {
                /** @description dedupe by it */
                "webhook-id": string;
                /** @description Unix time in seconds of this attempt */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64; several during a rotation */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscriptionDeletedNotification"];
            };
        };
        responses: {
            /** @description Any 2xx is success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Deactivates the webhook; every other answer is a failure, and is tried again. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onSubscriptionDueSoon: {
        parameters: {
            query?: never;
            header: {
                /** @description dedupe by it */
                "webhook-id": string;
                /** @description Unix time in seconds of this attempt */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64; several during a rotation */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscriptionDueSoonNotification"];
            };
        };
        responses: {
            /** @description Any 2xx is success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Deactivates the webhook; every other answer is a failure, and is tried again. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onSubscriptionOverdue: {
        parameters: {
            query?: never;
            header: {
                /** @description dedupe by it */
                "webhook-id": string;
                /** @description Unix time in seconds of this attempt */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64; several during a rotation */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscriptionOverdueNotification"];
            };
        };
        responses: {
            /** @description Any 2xx is success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Deactivates the webhook; every other answer is a failure, and is tried again. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onSubscriptionExpired: {
        parameters: {
            query?: never;
            header: {
                /** @description dedupe by it */
                "webhook-id": string;
                /** @description Unix time in seconds of this attempt */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64; several during a rotation */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscriptionExpiredNotification"];
            };
        };
        responses: {
            /** @description Any 2xx is success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Deactivates the webhook; every other answer is a failure, and is tried again. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onWebhookFailing: {
        parameters: {
            query?: never;
            header: {
                /** @description dedupe by it */
                "webhook-id": string;
                /** @description Unix time in seconds of this attempt */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64; several during a rotation */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookFailingNotification"];
            };
        };
        responses: {
            /** @description Any 2xx is success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Deactivates the webhook; every other answer is a failure, and is tried again. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onWebhookDeactivated: {
        parameters: {
            query?: never;
            header: {
                /** @description dedupe by it */
                "webhook-id": string;
                /** @description Unix time in seconds of this attempt */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64; several during a rotation */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookDeactivatedNotification"];
            };
        };
        responses: {
            /** @description Any 2xx is success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Deactivates the webhook; every other answer is a failure, and is tried again. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onWebhookTest: {
        parameters: {
            query?: never;
            header: {
                /** @description dedupe by it */
                "webhook-id": string;
                /** @description Unix time in seconds of this attempt */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64; several during a rotation */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TestNotification"];
            };
        };
        responses: {
            /** @description Any 2xx is success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Deactivates the webhook; every other answer is a failure, and is tried again. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
