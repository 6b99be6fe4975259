// Stands for tap's package `async-hook-domain` in bundles of test files: it tells tap to which test an error belongs that nobody
// caught. The package learns that from async hooks, which see every promise, also those of the code under test: a
// microsecond each. Tests of a file run one after the other, so the error belongs to the test that began last.
import { executionAsyncResource } from 'node:async_hooks'

const open = new Set()

const hasBegun = ({ test }) => test === undefined || test.start > 0n

function report(error, origin) {
  // A test that listens itself expects the error.
  if (process.listenerCount('uncaughtException') > 1) return
  ;[...open].findLast(hasBegun).onerror(error, origin)
}

export class Domain {
  constructor(onerror) {
    this.onerror = onerror
    // tap makes the domain of each test inside a resource that names the test.
    this.test = executionAsyncResource().test
    if (open.size === 0) process.on('uncaughtException', report)
    open.add(this)
  }

  destroy() {
    open.delete(this)
    if (open.size === 0) process.off('uncaughtException', report)
  }
}
