/**
 * A stranger's text for a terminal: anybody can write any memo. Characters that move the cursor, change colours, begin a
 * line or turn the direction of writing are shown as their code.
 */
export const printable = (text: string): string =>
  text.replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    character => `\\u{${character.codePointAt(0)!.toString(16)}}`,
  )
