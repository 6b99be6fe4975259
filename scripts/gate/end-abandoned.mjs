// The program of guard.mjs. It reads what the runner has open, and ends that when the runner is gone: the pipe closes then.
import { createInterface } from 'node:readline'
import { endGroup } from './end-group.mjs'
import { removeAbandonedServers } from './servers.mjs'

const open = new Set()
for await (const line of createInterface({ input: process.stdin })) {
  if (line.startsWith('+')) open.add(line.slice(1))
  else open.delete(line.slice(1))
}
if (open.size > 0) {
  await Promise.all([...open].filter(name => Number(name) > 0).map(endGroup))
  await removeAbandonedServers()
}
