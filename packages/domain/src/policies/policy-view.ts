import { readJson, type Json } from '../json/json.js'

/** What has changed since the policy was created; each is used for the one type that has it. */
export interface PolicyTypeOverrides {
  /** of a subscription: Unix seconds */
  nextPaymentDue?: bigint | null
  /** of a milestone policy */
  currentMilestone?: bigint | number
  /** of a pay-as-you-go policy: Unix seconds */
  currentPeriodStart?: bigint | null
  /** of a pay-as-you-go policy: what was paid since */
  currentPeriodTotal?: bigint | null
}

const OVERRIDDEN: ReadonlyMap<string, readonly (keyof PolicyTypeOverrides)[]> = new Map([
  ['Subscription', ['nextPaymentDue']],
  ['Milestone', ['currentMilestone']],
  ['PayAsYouGo', ['currentPeriodStart', 'currentPeriodTotal']],
])

/** `next_payment_due` → `nextPaymentDue`; a variant's name (`Monthly`) has no underscore and stays. */
const camelCase = (name: string): string =>
  name.replace(/_+([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase())

const lowerFirst = (name: string): string => name.slice(0, 1).toLowerCase() + name.slice(1)

function withCamelCase(value: Json): Json {
  if (Array.isArray(value)) return value.map(withCamelCase)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [camelCase(name), withCamelCase(item)]),
  )
}

/**
 * A policy type as REST serves it: `{"subscription": {amount, autoRenew, …}}`. Integers that a double cannot
 * hold are bigint: write it with `writeJson`.
 * @param text `PolicyType.text`: the tagged type under its name on the chain
 */
export function policyTypeView(text: string, overrides: PolicyTypeOverrides = {}): Record<string, Json> {
  const views = Object.entries(readJson(text) as Record<string, Json>).map(([name, payload]) => {
    const view = withCamelCase(payload)
    for (const overridden of OVERRIDDEN.get(name) ?? []) {
      const value = overrides[overridden]
      if (value !== undefined) Object.assign(view as object, { [overridden]: value })
    }
    return [lowerFirst(camelCase(name)), view] as const
  })
  return Object.fromEntries(views)
}
