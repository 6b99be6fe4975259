import { readJson, writeJson, type Json } from '@payment-tracking/domain'

const toCamelCase = (name: string): string =>
  name
    .replace(/^[A-Z]/, letter => letter.toLowerCase())
    .replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** Temporary: replaced by the domain's own view. */
export function policyTypeView(
  text: string,
  { paymentCount, nextPaymentDue }: { paymentCount: number; nextPaymentDue: bigint | null },
): string {
  const [[name, fields]] = Object.entries(readJson(text) as Record<string, Record<string, Json>>) as [
    [string, Record<string, Json> | null],
  ]
  const view: Record<string, unknown> = Object.fromEntries(
    Object.entries(fields ?? {}).map(([field, value]) => [toCamelCase(field), value]),
  )
  if (name === 'Subscription') view.nextPaymentDue = nextPaymentDue
  if (name === 'Milestone')
    view.currentMilestone = BigInt(view.currentMilestone as number) + BigInt(paymentCount)
  return writeJson({ [toCamelCase(name)]: view })
}
