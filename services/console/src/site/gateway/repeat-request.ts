// A request of a delivery, to be sent again by hand.

/** A text as one word of a POSIX shell. */
const word = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/**
 * Commands that send a delivery as the service does, signed anew: an endpoint refuses a signature that is older than five minutes.
 * The secret stands in WEBHOOK_SECRET, and never on the page.
 */
export const repeatRequest = ({
  url,
  messageId,
  body,
}: {
  url: string
  messageId: string
  body: string
}): string =>
  [
    `ID=${word(messageId)}`,
    `BODY=${word(body)}`,
    'TIME=$(date +%s)',
    'KEY=$(printf %s "${WEBHOOK_SECRET#whsec_}" | base64 -d | od -An -vtx1 | tr -d " \\n")',
    'SIGNATURE=$(printf %s "$ID.$TIME.$BODY" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY" -binary | base64)',
    `curl -X POST ${word(url)} -H 'content-type: application/json' -H "webhook-id: $ID" -H "webhook-timestamp: $TIME" \\`,
    '  -H "webhook-signature: v1,$SIGNATURE" --data-raw "$BODY"',
  ].join('\n')
