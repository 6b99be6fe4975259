// The layouts against the kept IDL. A new IDL (`anchor idl fetch`) replaces test/idl/tributary.json: what is new in
// it fails here until the layouts know it.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import {
  discriminatorOf,
  EVENT_LAYOUTS,
  INSTRUCTION_EVENTS,
  readEventBytes,
  writeEventBytes,
} from '../src/index.js'
import { definedValues, IDL } from './idl/read-idl.js'

t.test('every event of the IDL has a layout, and no layout is of another event', async t => {
  t.same(Object.keys(EVENT_LAYOUTS).sort(), IDL.events.map(({ name }) => name).sort())
})

t.test('every instruction of the IDL says which events it emits', async t => {
  t.same(Object.keys(INSTRUCTION_EVENTS).sort(), IDL.instructions.map(({ name }) => name).sort())
})

t.test('discriminators follow from the names', async t => {
  for (const { name, discriminator } of IDL.events)
    t.same([...discriminatorOf('event', name)], discriminator, name)
  for (const { name, discriminator } of IDL.instructions)
    t.same([...discriminatorOf('global', name)], discriminator, name)
})

for (const { name, discriminator } of IDL.events) {
  t.test(
    `any ${name} of the IDL is read and written to the digit; a byte more or less is refused`,
    async () => {
      fc.assert(
        fc.property(definedValues(name), ({ value, bytes }) => {
          const logged = Buffer.concat([Buffer.from(discriminator), bytes])
          assert.deepEqual(readEventBytes(logged), { name, data: value })
          const written = writeEventBytes(name, value as never)
          assert.deepEqual(readEventBytes(written), { name, data: value }, 'padding apart')
          // One byte less never fits: no older layout of any event is a byte shorter.
          assert.ok('unreadable' in readEventBytes(logged.subarray(0, -1)))
          assert.ok('unreadable' in readEventBytes(Buffer.concat([logged, Buffer.of(0)])))
        }),
        { numRuns: 50, endOnFailure: true },
      )
    },
  )
}
