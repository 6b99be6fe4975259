// What makes an event itself, and what makes two messages about it agree.
//
// Every part but the last is free of newlines (digits, base58, names), so that the joined text can be read in
// one way only. 128 bits of SHA-256 leave no chance of two events sharing an id by accident, and none that is
// worth an attacker's while: a collision would take 2^64 messages on a stream that only the indexer writes.
import { hash } from 'node:crypto'
import type { ChainOrder } from './chain-event.js'

function digest(parts: readonly (string | number)[]): string {
  const hex = hash('sha256', parts.join('\n'), 'hex')
  const cut = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)]
  return cut.join('-')
}

/** A payment of a policy is one record of the policy, wherever the indexer saw it in the transaction. */
export function idOfPayment(signature: string, policy: string, recordId: number): string {
  return digest(['payment', signature, policy, recordId])
}

/**
 * The id of an event whose identity is taken: by the same event in another slot, which was retracted. Events of
 * one identity are told apart by their slots.
 */
export function idInSlot(id: string, slot: number): string {
  return digest(['event-in-slot', id, slot])
}

/** Any other event is known by its index, or by what it says when the publisher sends no index. */
export function idOfEvent(signature: string, index: number | null, name: string, canonical: string): string {
  return index === null
    ? digest(['event-by-content', signature, name, canonical])
    : digest(['event-by-place', signature, index, name])
}

/** @param occurredAtMs the timestamp in milliseconds. @param canonical the data's canonical JSON */
export function fingerprintOf(slot: number, occurredAtMs: number, canonical: string): string {
  return digest([slot, occurredAtMs, canonical])
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0')

/** Where an event stands, without its id. Two events of one transaction share a position when they have no index. */
export interface ChainPosition {
  slot: number
  transactionIndex: number
  index: number
}

/** Text whose byte order is chain order: 16 hex digits of slot, 8 of transaction, 8 of index, the id's 32. */
export function orderOf({ slot, transactionIndex, index }: ChainPosition, id: string): ChainOrder {
  return hex(slot, 16) + hex(transactionIndex, 8) + hex(index, 8) + id.replaceAll('-', '')
}
