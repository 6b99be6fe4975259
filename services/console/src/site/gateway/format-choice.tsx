import type { Schemas } from '@payment-tracking/client'

export type Format = Schemas['Webhook']['format']

/** What the server behind an endpoint receives: code that reads the other body skips it without an error. */
const BODIES: Record<Format, string> = {
  standard: `{"type": "payment.executed",
 "data": {"trackingId": "order-4711", "amount": 404000000, "recipient": "…", …}, …}`,
  tributary: `{"event": "tributary_PaymentRecord",
 "data": {"memo": [111, 114, 100, …], "amount": 404000000, "recipient": "…", …}, …}`,
}

/** The body in which an endpoint is told of payments, with what its server will see. */
export function FormatChoice({ chosen, onChange }: { chosen: Format; onChange: (format: Format) => void }) {
  return (
    <>
      <label>
        Body
        <select value={chosen} onChange={event => onChange(event.target.value as Format)}>
          <option value="standard">standard</option>
          <option value="tributary">tributary: for code written for api.tributary.so</option>
        </select>
      </label>
      <p className="quiet">Your server will see:</p>
      <pre>{BODIES[chosen]}</pre>
    </>
  )
}
