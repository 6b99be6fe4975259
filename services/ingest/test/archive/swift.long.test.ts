// An archive in OpenStack Swift, which checks signatures, keys, regions and rights.
import t from 'tap'
import { installSwift, openSwift } from './open-swift.js'
import { testS3Store } from './test-s3-store.js'

t.setTimeout(900_000)

const lacking = await installSwift()
if (lacking !== null) void t.test(lacking, { skip: true }, () => {})
else {
  const swift = await openSwift(t)
  testS3Store(() => Promise.resolve(swift))
}
