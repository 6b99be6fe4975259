/** The body of every refusal by the service: docs/errors.md lists the codes. */
export interface ServiceRefusal {
  success: false
  code: string
  error: string
  /** of EXPECTATION_EXISTS: the expectation that is there */
  id?: string
}

/** Whether an answer is the service's own refusal. A proxy on the way answers with other bodies, or with none. */
export const isServiceRefusal = (body: unknown): body is ServiceRefusal =>
  typeof body === 'object' &&
  body !== null &&
  (body as ServiceRefusal).success === false &&
  typeof (body as ServiceRefusal).code === 'string' &&
  typeof (body as ServiceRefusal).error === 'string'
