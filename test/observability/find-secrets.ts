// A secret leaks in any of its spellings.

/** As it is, in a URL, in base64 wherever it begins in the encoded text, and as a JSON string. */
export function spellingsOf(secret: string): string[] {
  const inBase64 = [0, 1, 2].map(shift => {
    const encoded = Buffer.concat([Buffer.alloc(shift), Buffer.from(secret)]).toString('base64')
    // The first and last characters also depend on what stands beside the secret.
    return encoded.slice(shift === 0 ? 0 : 4, -4)
  })
  const all = [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), ...inBase64]
  return [...new Set([...all, ...inBase64.map(text => text.replaceAll('+', '-').replaceAll('/', '_'))])]
}

/** @returns the names of the secrets that the text holds, with the line of each */
export function findSecrets(text: string, secrets: Readonly<Record<string, string>>): string[] {
  return Object.entries(secrets).flatMap(([name, secret]) => {
    if (secret.length < 8) throw new Error(`${name} is too short to be looked for`)
    const spelling = spellingsOf(secret).find(each => text.includes(each))
    if (spelling === undefined) return []
    return [
      `${name}: ${text
        .split('\n')
        .find(line => line.includes(spelling))!
        .slice(0, 600)}`,
    ]
  })
}
