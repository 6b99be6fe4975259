// Preloaded into what the gate runs. When the program ends, it tells the gate how much it computed.
import { readCpuSeconds } from './cpu-seconds.mjs'

process.once('exit', () => process.connected && process.send({ cpuSeconds: readCpuSeconds() }))
// The channel alone must not keep a program alive that has finished.
process.channel?.unref()
