import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { openApi } from './open-api.js'

const DOCS = fileURLToPath(new URL('../../../docs', import.meta.url))
const LINK = /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)/g

/** The anchor of a heading, as GitHub makes it. */
const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

t.test('llms.txt names every document, and every link of each leads to something', async t => {
  const { app } = await openApi(t)
  const host = 'pay.example'
  const ask = (url: string) => app.inject({ url, headers: { host } })
  const llms = await ask('/llms.txt')
  t.equal(llms.statusCode, 200)
  t.match(llms.headers['content-type'], 'text/plain')
  t.match(llms.body, /^# Payment tracking\n\n> /)
  t.match(llms.body, 'Anyone can write any memo')
  const linked = [...llms.body.matchAll(LINK)].map(([, , , target]) => new URL(target!))
  for (const url of linked) t.equal(url.host, host)
  const files = readdirSync(DOCS, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.md'))
  t.ok(files.length > 20, 'the documents were found')
  for (const file of files)
    t.ok(
      linked.some(({ pathname }) => pathname === `/docs/${file}`),
      file,
    )
  for (const line of llms.body.match(/^- \[.*\.md\).*$/gm)!) t.match(line, /\): \S.{10,}$/, line)

  const bodies = new Map<string, string>()
  for (const { pathname } of linked) {
    const answer = await ask(pathname)
    t.equal(answer.statusCode, 200, pathname)
    if (!pathname.endsWith('.md')) continue
    t.match(answer.headers['content-type'], 'text/markdown')
    bodies.set(pathname, answer.body)
  }
  for (const [path, body] of bodies) {
    t.notMatch(body, /<picture|<img|!\[/, `${path} has no picture that is not served`)
    for (const [, , , target] of body.replaceAll(/```[^]*?```/g, '').matchAll(LINK)) {
      const url = new URL(target!, `http://${host}${path}`)
      if (url.host !== host) continue
      const { statusCode } = await ask(url.pathname)
      t.equal(statusCode, 200, `${path}: ${target}`)
      if (url.hash === '') continue
      const headings = [...bodies.get(url.pathname)!.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
        slugOf(heading!),
      )
      t.ok(headings.includes(decodeURIComponent(url.hash.slice(1))), `${path}: ${target}`)
    }
  }
  t.equal((await ask('/docs/nothing.md')).statusCode, 404)
  t.equal((await ask('/docs/..%2fpackage.json')).statusCode, 404)
})
