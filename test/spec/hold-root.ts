// The files start services before they name their tests. Until the last file has, the root test must not end.
import t from 'tap'

let name!: () => void
const named = new Promise<void>(resolve => (name = resolve))
void t.test('every file names its tests', () => named)

/** To be called behind the last file. */
export const allAreNamed = (): void => name()
