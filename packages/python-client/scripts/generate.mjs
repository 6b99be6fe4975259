// Writes src/payment_tracking/_api.py from packages/client/openapi.json: a TypedDict for each schema and a method for each
// operation. Generators of whole clients make a class with its own reader and writer of each schema, twenty times as much.
import { readFileSync, writeFileSync } from 'node:fs'

const read = file => JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8'))
const { paths, components } = read('../../client/openapi.json')

const KEYWORDS = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
)
const pascal = name => name.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter) => letter.toUpperCase())
const snake = name =>
  name
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
const argument = name => (KEYWORDS.has(snake(name)) ? `${snake(name)}_` : snake(name))
const isName = key => /^[A-Za-z_]\w*$/.test(key) && !KEYWORDS.has(key)
const NAMES = { null: 'None', true: 'True', false: 'False' }
const docOf = ({ summary, description }) =>
  [summary, description]
    .filter(Boolean)
    .join('. ')
    .replace(/\s+/g, ' ')
    .replaceAll('\\', '\\\\')
    .replaceAll('"""', "'''")

const classes = []

/** The type of a schema. @param name of the class that an object without one gets */
function typeOf(schema, name) {
  if (schema.$ref) return pascal(schema.$ref.split('/').at(-1))
  if ('const' in schema) return `Literal[${literal(schema.const)}]`
  if (schema.enum) return `Literal[${schema.enum.map(literal).join(', ')}]`
  const either = schema.anyOf ?? schema.oneOf
  if (either)
    return either.map((each, at) => typeOf(each, either.length > 2 ? `${name}${at + 1}` : name)).join(' | ')
  if (Array.isArray(schema.type))
    return schema.type.map(type => typeOf({ ...schema, type }, name)).join(' | ')
  switch (schema.type) {
    case 'string':
      return 'str'
    case 'integer':
      return 'int'
    case 'number':
      return 'float'
    case 'boolean':
      return 'bool'
    case 'null':
      return 'None'
    case 'array':
      return `list[${schema.items ? typeOf(schema.items, `${name}Item`) : 'Any'}]`
    case 'object':
      if (schema.properties && Object.keys(schema.properties).length > 0) return writeClass(name, schema)
      return `dict[str, ${typeof schema.additionalProperties === 'object' ? typeOf(schema.additionalProperties, `${name}Value`) : 'Any'}]`
    default:
      return 'Any'
  }
}

const literal = value => NAMES[String(value)] ?? JSON.stringify(value)

function writeClass(name, { properties, required = [], description }) {
  const fields = Object.entries(properties).map(([key, schema]) => {
    const type = typeOf(schema, `${name}${pascal(key)}`)
    return [key, required.includes(key) ? type : `NotRequired[${type}]`, schema.description]
  })
  if (fields.every(([key]) => isName(key))) {
    const lines = fields.flatMap(([key, type, what]) => [
      ...(what ? [`    #: ${what.replace(/\s+/g, ' ')}`] : []),
      `    ${key}: ${type}`,
    ])
    const doc = description ? [`    """${docOf({ description })}"""`, ''] : []
    classes.push([`class ${name}(TypedDict):`, ...doc, ...lines].join('\n'))
  } else {
    const entries = fields.map(([key, type]) => `    ${JSON.stringify(key)}: ${JSON.stringify(type)},`)
    classes.push([`${name} = TypedDict(${JSON.stringify(name)}, {`, ...entries, '})'].join('\n'))
  }
  return name
}

for (const [name, schema] of Object.entries(components.schemas)) {
  const type = typeOf(schema, pascal(name))
  if (type !== pascal(name)) classes.push(`${pascal(name)}: TypeAlias = ${JSON.stringify(type)}`)
}

function writeMethod(path, method, operation) {
  const name = pascal(operation.operationId)
  const parameters = operation.parameters ?? []
  const inPath = parameters.filter(each => each.in === 'path')
  const inQuery = parameters.filter(each => each.in === 'query')
  const json = content => content?.['application/json']?.schema
  const [status, answer] = Object.entries(operation.responses).find(([code]) => code.startsWith('2'))
  const isText = answer.content && !json(answer.content)
  const result = json(answer.content)
    ? typeOf(json(answer.content), `${name}Answer`)
    : isText
      ? 'str'
      : 'None'
  const body = json(operation.requestBody?.content)
  const bodyType = body && typeOf(body, `${name}Body`)
  const keyword = [
    ...inQuery
      .toSorted((a, b) => Number(b.required ?? false) - Number(a.required ?? false))
      .map(each => {
        const type = typeOf(each.schema, `${name}${pascal(each.name)}`)
        return each.required
          ? `${argument(each.name)}: ${type}`
          : `${argument(each.name)}: ${type} | None = None`
      }),
    ...(body
      ? [operation.requestBody.required ? `body: ${bodyType}` : `body: ${bodyType} | None = None`]
      : []),
  ]
  const given = ['self', ...inPath.map(each => `${argument(each.name)}: ${typeOf(each.schema, '')}`)]
  if (keyword.length > 0) given.push('*', ...keyword)
  const url = path.replace(/\{(\w+)\}/g, (_, each) => `{quote(str(${argument(each)}), safe='')}`)
  const call = [
    `"${method.toUpperCase()}"`,
    url === path ? `"${path}"` : `f"${url}"`,
    ...(inQuery.length > 0
      ? [`query={${inQuery.map(each => `"${each.name}": ${argument(each.name)}`).join(', ')}}`]
      : []),
    ...(body ? ['body=body'] : []),
    ...(isText ? ['is_text=True'] : []),
  ]
  const send =
    status === '204'
      ? `self._send(${call.join(', ')})`
      : `return cast(${JSON.stringify(result)}, self._send(${call.join(', ')}))`
  return `    def ${snake(operation.operationId)}(${given.join(', ')}) -> ${result}:
        """${docOf(operation)}"""
        ${send}`
}

const methods = Object.entries(paths).flatMap(([path, operations]) =>
  Object.entries(operations)
    // A WebSocket is no request.
    .filter(([, { responses }]) => !responses['101'])
    .map(([method, operation]) => writeMethod(path, method, operation)),
)

writeFileSync(
  new URL('../src/payment_tracking/_api.py', import.meta.url),
  `"""Generated from openapi.json by scripts/generate.mjs."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict, cast
from urllib.parse import quote

__all__: list[str] = []


${classes.join('\n\n\n')}


class Operations:
    """A method for each operation of the REST interface."""

    def _send(
        self,
        method: str,
        path: str,
        *,
        query: dict[str, Any] | None = None,
        body: Any = None,
        is_text: bool = False,
    ) -> Any:
        raise NotImplementedError

${methods.join('\n\n')}
`,
)
