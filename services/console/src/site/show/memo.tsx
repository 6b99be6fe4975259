import { visibleText } from '@payment-tracking/contracts/visible-text'

/** A text that a person wrote, in its own direction of writing: what is not seen in it is shown as its code. */
export const Written = ({ value }: { value: string }) => <bdi>{visibleText(value)}</bdi>

/** A tracking ID. */
export function Memo({ value }: { value: string | null | undefined }) {
  return value === null || value === undefined ? (
    <span className="quiet">no tracking ID</span>
  ) : (
    <Written value={value} />
  )
}
