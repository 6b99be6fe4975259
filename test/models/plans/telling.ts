// What telling.qnt is searched with, and its mutants.
import type { Bounds, ModelPlan } from '../model-plan.js'

/** Two clients of one room, one of which asks for some payments only. */
const TWO_CLIENTS: Bounds = { RETRACTED: 'Set()', FENCES: 'false' }
/** One client, a retraction, and a pod that fences itself. */
const FENCED: Bounds = { CLIENTS: 'Set(1)' }
/** One client, and a standby that lacks commits. */
const LOST: Bounds = { CLIENTS: 'Set(1)', RETRACTED: 'Set()', FENCES: 'false', LOSSES: '1' }
/** The same with a client that sends no epoch. */
const NAMELESS: Bounds = { ...LOST, CLIENTS: 'Set(3)' }

export const TELLING: ModelPlan = {
  name: 'telling',
  searches: [TWO_CLIENTS, FENCED, LOST, NAMELESS],
  mutants: [
    {
      name: 'an announcement before the commit',
      find: "s' = { ...s, announced: s.announced.union(Set(s.db.message(seq))) } }",
      replace:
        "s' = { ...s, announced: s.announced.union(Set({ ...s.db.message(seq), seq: s.db.rows.length() + 1 })) } }",
      breaks: 'truthful',
      bounds: FENCED,
    },
    {
      name: 'a message whose epoch nobody looks at',
      find: 'if (m.epoch != s.pods.get(p).epoch)',
      replace: 'if (false)',
      breaks: 'truthful',
      bounds: LOST,
    },
    {
      name: 'healing that does not look at the epoch',
      find: 'if (s.pods.get(p).epoch.in(Set(0, s.db.epoch))) s.served(p, s.db.epoch).healed(p)',
      replace: 'if (s.pods.get(p).epoch != 0) s.healed(p)',
      breaks: 'truthful',
      bounds: LOST,
    },
    {
      name: 'a `since` whose epoch nobody looks at',
      find: 'if (not(c.in(NAMELESS))) client.epoch == s.db.epoch',
      replace: 'if (not(c.in(NAMELESS))) true',
      breaks: 'nothingLost',
      bounds: LOST,
    },
    {
      name: 'a `since` without an epoch that is always believed',
      find: 'else s.db.branch < 0 or client.floor <= s.db.branch',
      replace: 'else true',
      breaks: 'nothingLost',
      bounds: NAMELESS,
    },
    {
      name: 'the head of the first answer counts, and not the lowest',
      find: 'if (pod.floor >= 0 and pod.floor <= top) pod',
      replace: 'if (pod.floor >= 0) pod',
      breaks: 'nobodyLeftOut',
      bounds: TWO_CLIENTS,
    },
    {
      name: 'what arrives before the answer is sent at once',
      find: 'if (client.at == "open") acc.hand(c, m)',
      replace: 'if (true) acc.hand(c, m)',
      breaks: 'truthful',
      bounds: FENCED,
    },
    {
      name: 'what arrives before the answer is dropped',
      find: 'acc.ofClient(c, { ...client, held: client.held.union(Set(m)) })',
      replace: 'acc',
      breaks: 'nobodyLeftOut',
      bounds: FENCED,
    },
    {
      name: 'a fenced pod answers and forgets what it kept back',
      find: 'client.held != Set()) ready.left(c)',
      replace: 'client.held != Set()) ready.answered(c, back)',
      breaks: 'nobodyLeftOut',
      bounds: FENCED,
    },
    {
      name: 'an answer without the retractions of what the client has',
      find: 'page.recovered and n <= client.floor and wants',
      replace: 'false and wants',
      breaks: 'takenBack',
      bounds: FENCED,
    },
    {
      name: "another recipient's payment",
      find: 'st.members(p).filter(c => wants(c, m.id)).fold(',
      replace: 'st.members(p).fold(',
      breaks: 'truthful',
      bounds: TWO_CLIENTS,
    },
  ],
}
