import type { Schemas } from '@payment-tracking/client'

export type Format = Schemas['Webhook']['format']

/** What the server behind an endpoint receives: code that reads the other body skips it without an error. */
const BODIES: Record<Format, string> = {
  standard: `{"type": "payment.executed",
 "data": {"trackingId": "order-4711", "amount": 404000000, "recipient": "…", …}, …}`,
  tributary: `{"event": "tributary_PaymentRecord",
 "data": {"memo": [111, 114, 100, …], "amount": 404000000, "recipient": "…", …}, …}`,
  slack: `{"text": "Payment received: 404 USDC, from 3x9a…24ET, to 7Q7N…1Zkz, tracking ID order-4711"}`,
  discord: `{"content": "Payment received: 404 USDC, from 3x9a…24ET, to …", "allowed_mentions": {"parse": []}}`,
}

/** The body that an endpoint is sent, with what its server will see. */
export function FormatChoice({ chosen, onChange }: { chosen: Format; onChange: (format: Format) => void }) {
  return (
    <>
      <label>
        Payload
        <select value={chosen} onChange={event => onChange(event.target.value as Format)}>
          <option value="standard">Standard</option>
          <option value="tributary">Tributary: for code written for api.tributary.so</option>
          <option value="slack">Slack: a message in a channel, through an incoming webhook</option>
          <option value="discord">Discord: a message in a channel, through a webhook</option>
        </select>
      </label>
      <p className="quiet">Your server will receive:</p>
      <pre>{BODIES[chosen]}</pre>
    </>
  )
}
