import {
  type AnswerKind,
  type CodeHeader,
  type CodeImage,
  type CodeParts,
  type LiteralStyle,
  writeLiteral,
} from './code-parts'

const imageName = ({ number }: CodeImage): string => `image_${number}`

/** Quotes a text as JSON, whose escapes are valid in Python strings. */
const quoteText = (text: string): string => JSON.stringify(text)

const literals: Readonly<Record<string, string>> = { null: 'None', true: 'True', false: 'False' }

const style: LiteralStyle = {
  indent: '    ',
  lastComma: ',',
  text: quoteText,
  name: quoteText,
  literal: (value) => literals[String(value)] ?? JSON.stringify(value),
  image: ({ prefix, image }) => (prefix === '' ? imageName(image) : `${quoteText(prefix)} + ${imageName(image)}`),
}

/** Code that prints one parsed `event` of a stream. */
const streamOutputCode: Readonly<Record<AnswerKind, readonly string[]>> = {
  chat: [
    'for choice in event.get("choices", []):',
    '    print(choice["delta"].get("content") or "", end="", flush=True)',
  ],
  completion: ['for choice in event.get("choices", []):', '    print(choice["text"], end="", flush=True)'],
  messages: [
    'if event["type"] == "content_block_delta":',
    '    print(event["delta"].get("text", ""), end="", flush=True)',
  ],
  other: ['print(event)'],
}

const fullOutputCode: Readonly<Record<AnswerKind, string>> = {
  chat: 'print(response.json()["choices"][0]["message"]["content"])',
  completion: 'print(response.json()["choices"][0]["text"])',
  messages: 'print("".join(part.get("text", "") for part in response.json()["content"]))',
  other: 'print(response.json())',
}

export function python({ method, address, headers, body, images, kind, isStream }: CodeParts): string {
  // The `json=` argument sets the content type.
  const sentHeaders = headers.filter(({ name }) => !/^content-type$/i.test(name))
  return [
    '# pip install requests',
    ...(images.length > 0 ? ['import base64'] : []),
    ...(isStream ? ['import json'] : []),
    'import os',
    ...(images.length > 0 ? ['from pathlib import Path'] : []),
    '',
    'import requests',
    '',
    ...(sentHeaders.some(({ hasKey }) => hasKey) ? ['key = os.environ["PLAN_KEY"]'] : []),
    ...images.map(
      (image) => `${imageName(image)} = base64.b64encode(Path(${quoteText(image.file)}).read_bytes()).decode()`,
    ),
    `body = ${writeLiteral(body, style)}`,
    '',
    `${isStream ? 'with ' : 'response = '}requests.request(`,
    `    ${quoteText(method)},`,
    `    ${quoteText(address)},`,
    `    headers={${sentHeaders.map(headerMember).join(', ')}},`,
    '    json=body,',
    ...(isStream ? ['    stream=True,'] : []),
    '    timeout=600,',
    ...(isStream ? streamLines(kind) : [')', 'response.raise_for_status()', fullOutputCode[kind]]),
    '',
  ].join('\n')
}

function headerMember({ name, value, hasKey }: CodeHeader): string {
  if (!hasKey) return `${quoteText(name)}: ${quoteText(value)}`
  return `${quoteText(name)}: ${value === '' ? 'key' : `${quoteText(value)} + key`}`
}

/** Splits bytes at line feeds, because Python splits decoded text at all Unicode line separators. */
function streamLines(kind: AnswerKind): readonly string[] {
  return [
    ') as response:',
    '    response.raise_for_status()',
    '    for line in response.iter_lines():',
    '        if not line.startswith(b"data:"):',
    '            continue',
    '        data = line[len(b"data:"):].strip()',
    '        if data == b"[DONE]":',
    '            break',
    '        event = json.loads(data)',
    ...streamOutputCode[kind].map((line) => `        ${line}`),
    'print()',
  ]
}
