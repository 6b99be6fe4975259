// CHANGELOG.md: a section for each version, `## 1.2.3 (2026-01-31)`. The newest one has no date until it is released.

const HEADING = /^## (\d+\.\d+\.\d+)(?: \((\d{4}-\d{2}-\d{2})\))?$/

/** @returns the sections, newest first: version, date (null while open) and text */
export function readSections(changelog) {
  const sections = []
  for (const line of changelog.split('\n')) {
    const heading = HEADING.exec(line)
    if (heading) sections.push({ version: heading[1], date: heading[2] ?? null, lines: [] })
    else if (line.startsWith('## '))
      throw new Error(`CHANGELOG.md: "${line}" is no version: write "## 1.2.3", and the date behind it`)
    else sections.at(-1)?.lines.push(line)
  }
  return sections.map(({ lines, ...section }) => ({ ...section, text: lines.join('\n').trim() }))
}

/**
 * @param date `YYYY-MM-DD`
 * @returns the changelog with the version's section closed
 * @throws Error when the newest section is not the version's, is closed, or says nothing
 */
export function closeSection(changelog, version, date) {
  const [newest] = readSections(changelog)
  if (newest?.version !== version)
    throw new Error(
      `CHANGELOG.md begins with ${newest?.version ?? 'nothing'}: write the section "## ${version}" first`,
    )
  if (newest.date !== null) throw new Error(`CHANGELOG.md: ${version} was released on ${newest.date}`)
  if (newest.text === '')
    throw new Error(`CHANGELOG.md: the section of ${version} is empty: say what users get`)
  return changelog.replace(`## ${version}\n`, `## ${version} (${date})\n`)
}

/** @returns what the changelog says of a version. @throws Error when it says nothing */
export function notesOf(changelog, version) {
  const section = readSections(changelog).find(each => each.version === version)
  if (!section?.text) throw new Error(`CHANGELOG.md says nothing of ${version}`)
  return section
}
