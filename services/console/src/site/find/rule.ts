// The one rule of all search boxes, in words.
export const RULE =
  'Case counts. An address is found whole, as B1zp…tKmC, or inside a sentence; everything else whole.'
export const RULE_OF_GATEWAY =
  'Case counts but in names. An address is found whole, as B1zp…tKmC, or inside a sentence; a tracking ID, reference or name of yours by its first 3 or more characters.'
