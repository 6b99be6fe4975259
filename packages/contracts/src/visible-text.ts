/**
 * What a reader does not see, what looks like a space and is none, and what moves a cursor, changes colours, begins a line or
 * turns the direction of writing. Also the blank pattern of Braille, which Unicode counts among the symbols.
 */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|[^\S ]/gu
const LINES = new Set(['\n', '\t'])

/**
 * A stranger's text for people, on a page or in a terminal: anybody can write any memo, and two memos that look alike must not
 * be two. What is not seen is shown as its code, such as `\u{200b}`.
 * @param keepLines the text is shown in lines of its own: line breaks and tabs stay
 */
export const visibleText = (text: string, { keepLines = false } = {}): string =>
  text.replaceAll(UNSEEN, character =>
    keepLines && LINES.has(character) ? character : `\\u{${character.codePointAt(0)!.toString(16)}}`,
  )
