// The commands of a document, as its reader would copy them.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** @returns the code blocks of one language in a Markdown file, in order */
export function codeBlocks(file: string, language: string): string[] {
  const blocks = readFileSync(`${ROOT}/${file}`, 'utf8').matchAll(
    new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'),
  )
  return [...blocks].map(match => match[1]!)
}

/** Runs a script in a shell of its own until it ends, or until the test does, with all that it started. */
export function runScript(t: Test, script: string, env: NodeJS.ProcessEnv) {
  const shell = spawn('sh', ['-ec', script], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // its own process group, so that what runs in the background ends with it
  })
  let output = ''
  for (const stream of [shell.stdout, shell.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  const exitCode = new Promise<number | null>(resolve => shell.once('exit', resolve))
  const end = () => {
    try {
      process.kill(-shell.pid!, 'SIGKILL')
    } catch {
      // Everything has ended already.
    }
  }
  t.teardown(end)
  return { exitCode, output: () => output, end }
}
