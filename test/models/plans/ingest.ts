// What ingest.qnt is searched with, and its mutants.
import type { Bounds, ModelPlan } from '../model-plan.js'

/** No server is lost: two writers and every message. */
const TWO_WRITERS: Bounds = { LOSSES: '0' }
/** One writer, and a standby that lacks commits. */
const PROMOTED: Bounds = { WRITERS: 'Set(1)', LOSSES: '1', CRASHES: '0' }

export const INGEST: ModelPlan = {
  name: 'ingest',
  searches: [TWO_WRITERS, PROMOTED],
  mutants: [
    {
      name: 'an acknowledgement before the commit',
      find: 's.writers.get(w).at == "committed",',
      replace: 's.writers.get(w).at.in(Set("got", "committed")),',
      breaks: 'nothingLost',
      bounds: TWO_WRITERS,
    },
    {
      name: 'two writers at once',
      find: 'WRITERS.forall(v => s.writers.get(v).at != "locked"),',
      replace: '',
      breaks: 'dense',
      bounds: TWO_WRITERS,
    },
    {
      name: 'a redelivery that is stored again',
      find: 'if (others.exists(e => e.slot == payment.slot))',
      replace: 'if (false)',
      breaks: 'once',
      bounds: TWO_WRITERS,
    },
    {
      name: 'a payment that comes after its retraction, and counts',
      find: 'slot: payment.slot, retracted: isRetracted',
      replace: 'slot: payment.slot, retracted: false',
      breaks: 'retractedStays',
      bounds: TWO_WRITERS,
    },
    {
      name: 'a transaction that returns before its retraction, and both count',
      find: 'else if (not(isRetracted) and others.exists(e => not(e.retracted)))',
      replace: 'else if (false)',
      breaks: 'once',
      bounds: TWO_WRITERS,
    },
    {
      name: 'a letter that is not read again',
      find: 'db.letters.filter(l => STREAM.get(l).tx == gone.tx)',
      replace: 'db.letters.filter(l => false)',
      breaks: 'freedIsStored',
      bounds: TWO_WRITERS,
    },
    {
      name: 'a promoted standby with the epoch of its primary',
      find: 'epoch: st.epochs + 1,',
      replace: '',
      breaks: 'agreed',
      bounds: PROMOTED,
    },
    {
      name: 'a write to a server that was not verified',
      find: 's.writers.get(w).server == s.server,',
      replace: '',
      breaks: 'agreed',
      bounds: PROMOTED,
    },
    {
      name: 'lost messages that are not read again',
      find: 'again: MESSAGES } }',
      replace: 'again: st.db.again } }',
      breaks: 'nothingLost',
      bounds: PROMOTED,
    },
    {
      name: 'only what was acknowledged is read again',
      find: 'again: MESSAGES } }',
      replace: 'again: st.acknowledged } }',
      breaks: 'nothingLost',
      bounds: PROMOTED,
    },
  ],
}
