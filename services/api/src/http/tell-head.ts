import type { FastifyReply } from 'fastify'

/** Tells a client what is known. The epoch names the database: in another epoch, a position has no meaning. */
export function tellHead(
  reply: FastifyReply,
  { position, epoch }: { position: bigint; epoch: string },
): void {
  void reply.header('x-position', position.toString()).header('x-epoch', epoch)
}
