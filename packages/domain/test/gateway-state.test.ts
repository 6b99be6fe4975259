import t from 'tap'
import { applyToGateway, emptyGateway, signersOf, type ChainEvent, type Effect } from '../src/index.js'

const at = (slot: number, effect: Effect) =>
  ({ order: slot.toString(16).padStart(16, '0') + '0'.repeat(48), effect }) as ChainEvent
const created = (slot: number) => at(slot, { kind: 'gateway-created', gateway: 'g', authority: 'authority' })
const deleted = (slot: number) => at(slot, { kind: 'gateway-deleted', gateway: 'g' })
const changed = (slot: number, signer: string) =>
  at(slot, { kind: 'gateway-signer-changed', gateway: 'g', signer })

/** Every order of a few events. */
function* orders<T>(items: readonly T[]): Generator<T[]> {
  if (items.length === 0) yield []
  for (const [index, item] of items.entries()) {
    for (const rest of orders(items.toSpliced(index, 1))) yield [item, ...rest]
  }
}

for (const [title, events, expected] of [
  [
    'a new gateway is signed for by its authority',
    [created(1)],
    { authority: 'authority', signer: 'authority' },
  ],
  [
    'the latest change of the signer counts',
    [created(1), changed(2, 'second'), changed(3, 'third')],
    { authority: 'authority', signer: 'third' },
  ],
  ['a deleted gateway has no signers', [created(1), changed(2, 'second'), deleted(3)], null],
  [
    'a gateway that was created again forgets the signer of its earlier incarnation',
    [created(1), changed(2, 'second'), deleted(3), created(4)],
    { authority: 'authority', signer: 'authority' },
  ],
  ['a gateway that is only heard of has no signers', [changed(2, 'second')], null],
] as const) {
  t.test(`${title}, in any order`, async t => {
    for (const order of orders(events)) {
      t.strictSame(signersOf(order.reduce(applyToGateway, emptyGateway('g'))), expected)
    }
  })
}
