// The producer's side. What opens BullMQ at once has entry points of its own: `board` and `worker`.
export type { BoardQueue } from './board-queue.js'
export type { QueueOptions } from './connection.js'
export { openQueue, asBulk, type DeliveryQueue } from './delivery-queue.js'
export type { DeliveryWorker } from './delivery-worker.js'
export type { DeliveryWorkerOptions, DeliveryEnd, WorkerProgress } from './queue-worker.js'
