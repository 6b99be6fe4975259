// Pushes: CPU of a pod for one delivery, beside a bare ws server that sends the same bytes.
import { measureBusy, openPod, openRaw } from '../fanout-sides.js'
import type { GateKind } from './gate-kind.js'

const DELIVERIES = 30_000

export const push = (perRoom: number): GateKind => ({
  rows: [`push, rooms of ${perRoom}`],
  async open(context) {
    const [pod, raw] = [await openPod(context, perRoom), await openRaw(context, perRoom)]
    return [
      {
        name: `push, rooms of ${perRoom}`,
        subject: () => measureBusy(pod, perRoom, DELIVERIES),
        limit: () => measureBusy(raw, perRoom, DELIVERIES),
      },
    ]
  },
})
