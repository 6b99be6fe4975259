import { visibleText } from '@payment-tracking/contracts/visible-text'

/** A tracking ID in its own direction of writing. */
export function Memo({ value }: { value: string | null | undefined }) {
  return value === null || value === undefined ? (
    <span className="quiet">no tracking ID</span>
  ) : (
    <bdi>{visibleText(value)}</bdi>
  )
}
