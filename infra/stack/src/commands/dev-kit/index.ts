// The door of the dev kit: its commands, and the key file that the demo shares.
export { gateway } from './gateway.js'
export { createKeyFile, demoKeyFileOf, readKeyFile } from './key-file.js'
export { listen } from './listen.js'
export { pay } from './pay.js'
export { signIn } from './sign-in.js'
export { trigger } from './trigger.js'
