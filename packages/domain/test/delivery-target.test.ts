import { readFileSync } from 'node:fs'
import t from 'tap'
import { isPublicAddress } from '../src/deliveries/delivery-address.js'
import { checkEndpointUrl, ENDPOINT_URL_MAX_LENGTH } from '../src/deliveries/delivery-target.js'

interface Corpus {
  urls: { url: string; allowed: boolean; why: string }[]
  answers: { answers: string[]; allowed: boolean; why: string }[]
}

const corpus = JSON.parse(
  readFileSync(new URL('../../../test/fixtures/ssrf-conformance.json', import.meta.url), 'utf8'),
) as Corpus

t.test('each URL of the conformance table is allowed or refused as it says', t => {
  t.ok(corpus.urls.length >= 60)
  for (const { url, allowed, why } of corpus.urls) {
    const check = checkEndpointUrl(url, { allowPrivateTargets: false })
    t.equal(check.ok, allowed, `${url} (${why})`)
  }
  t.end()
})

t.test('each resolver answer of the table is allowed only when all its addresses are public', t => {
  for (const { answers, allowed, why } of corpus.answers)
    t.equal(answers.every(isPublicAddress), allowed, `${answers.join(' ')} (${why})`)
  t.end()
})

t.test('the development switch lets private targets and plain http through, and nothing else', t => {
  const allowed = (url: string) => checkEndpointUrl(url, { allowPrivateTargets: true }).ok
  for (const url of [
    'http://127.0.0.1:3000/hook',
    'http://localhost:1/',
    'https://[::1]/',
    'http://shop.example/',
  ])
    t.ok(allowed(url), url)
  for (const url of ['ftp://127.0.0.1/', 'http://user:password@127.0.0.1/', 'javascript:alert(1)', 'hook'])
    t.notOk(allowed(url), url)
  t.end()
})

t.test('a URL has a greatest length', t => {
  const url = `https://shop.example/${'x'.repeat(ENDPOINT_URL_MAX_LENGTH)}`
  t.notOk(checkEndpointUrl(url, { allowPrivateTargets: true }).ok)
  t.end()
})
