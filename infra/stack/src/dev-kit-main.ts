#!/usr/bin/env node
// The dev kit as one command: infra/dev-kit bundles this file, so that it runs without the repository.
import { gateway, listen, pay, signIn, trigger } from './commands/dev-kit/index.js'

const COMMANDS = { gateway, 'sign-in': signIn, pay, listen, trigger }

const USAGE = `usage: npx payment-tracking COMMAND [options]
  gateway new | address | api-key
                          makes a gateway and its key on a running stack, prints its address, or
                          makes an API key
  sign-in                 prints a token of the gateway
  pay                     causes a payment
  listen                  shows webhook deliveries, and forwards them to a server on this machine
  trigger TYPE            causes an event of any type
  COMMAND --help lists the options. DATA_DIR names the data directory of the running stack (default: .data).`

const [name = '--help', ...args] = process.argv.slice(2)
try {
  if (name in COMMANDS) {
    process.exitCode = await COMMANDS[name as keyof typeof COMMANDS](args, process.env)
  } else {
    console.log(USAGE)
    process.exitCode = name === '--help' ? 0 : 2
  }
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
