import { TOKEN, type TestOps } from './open-ops.js'

export const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** Signs in with the form, as a browser does. */
export async function signIn(ops: TestOps) {
  const answer = await ops.app.inject({
    method: 'POST',
    url: '/sign-in',
    headers: FORM,
    payload: new URLSearchParams({ token: TOKEN }).toString(),
  })
  const [cookie] = String(answer.headers['set-cookie']).split(';')
  const get = (url: string) =>
    ops.app.inject({ method: 'GET', url, headers: { cookie, accept: 'text/html' } })
  const csrf = /name="csrf" value="([^"]+)"/.exec((await get('/')).body)![1]!
  const post = (url: string, fields: [string, string][], headers: Record<string, string> = {}) =>
    ops.app.inject({
      method: 'POST',
      url,
      headers: { ...FORM, cookie, ...headers },
      payload: new URLSearchParams(fields).toString(),
    })
  return { answer, cookie, csrf, get, post }
}
