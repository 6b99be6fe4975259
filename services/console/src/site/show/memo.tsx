/** Characters that a reader does not see, or that turn the text around them. */
// oxlint-disable-next-line no-control-regex
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g

/** Anybody can write any memo: what would hide or turn text becomes visible. */
export const plainMemo = (memo: string): string =>
  memo.replace(UNSEEN, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** A tracking ID in its own direction of writing. */
export function Memo({ value }: { value: string | null | undefined }) {
  return value === null || value === undefined ? (
    <span className="quiet">no tracking ID</span>
  ) : (
    <bdi>{plainMemo(value)}</bdi>
  )
}
