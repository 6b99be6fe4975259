import type { ControlMessage } from '@payment-tracking/domain'
import { commitBatch } from '@payment-tracking/store/ingest'
import { buildBatch } from '@payment-tracking/testkit'
import type { TestApi } from './open-api.js'

/** Stores messages of the indexer as ingest does, in one batch. @throws Error for a refused message */
export async function storeMessages({ store }: Pick<TestApi, 'store'>, ...messages: object[]): Promise<void> {
  await commitBatch(store, buildBatch(messages))
}

export async function storeControl({ store }: TestApi, control: ControlMessage): Promise<void> {
  await commitBatch(store, buildBatch([], [control]))
}
