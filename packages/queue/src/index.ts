export { openBoardQueue, type BoardQueue } from './board-queue.js'
export type { QueueOptions } from './connection.js'
export { openQueue, type DeliveryQueue, type EnqueuedDelivery } from './delivery-queue.js'
export {
  openDeliveryWorker,
  type DeliveryWorker,
  type DeliveryWorkerOptions,
  type JobEnd,
  type WorkerProgress,
} from './delivery-worker.js'
