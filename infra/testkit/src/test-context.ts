/** The part of a test that the testkit uses; tap's `t` has it. */
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
