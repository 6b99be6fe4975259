import type { FastifyReply } from 'fastify'

/** Sends a client the position that the answer knows. The epoch names the database: in another epoch, a position has no meaning. */
export function setPosition(
  reply: FastifyReply,
  { position, epoch }: { position: bigint; epoch: string },
): void {
  void reply.header('x-position', position.toString()).header('x-epoch', epoch)
}
