/** What the testkit needs of a test; tap's `t` is one. */
export interface TestContext {
  readonly name: string
  teardown(release: () => unknown): unknown
  readonly parent?: object | undefined
}

/** The test that lasts as long as its file. */
export function outermost(t: TestContext): TestContext {
  const parent = t.parent as TestContext | undefined
  return parent ? outermost(parent) : t
}
