import {
  type AnswerKind,
  type CodeHeader,
  type CodeImage,
  type CodeParts,
  type LiteralStyle,
  writeLiteral,
} from './code-parts'

const imageName = ({ number }: CodeImage): string => `image${number}`

const quoteText = (text: string): string => JSON.stringify(text)

const style: LiteralStyle = {
  indent: '  ',
  lastComma: ',',
  text: quoteText,
  // A plain `__proto__` in a literal would set the prototype.
  name: (name) =>
    name === '__proto__' ? `[${quoteText(name)}]` : /^[A-Za-z_]\w*$/.test(name) ? name : quoteText(name),
  literal: (value) => JSON.stringify(value),
  image: ({ prefix, image }) => (prefix === '' ? imageName(image) : `${quoteText(prefix)} + ${imageName(image)}`),
}

/** Expression for the text of one parsed `event` of a stream. */
const streamOutputCode: Readonly<Record<AnswerKind, string>> = {
  chat: 'process.stdout.write(event.choices?.[0]?.delta?.content ?? "")',
  completion: 'process.stdout.write(event.choices?.[0]?.text ?? "")',
  messages: 'if (event.type === "content_block_delta") process.stdout.write(event.delta.text ?? "")',
  other: 'console.log(event)',
}

const fullOutputCode: Readonly<Record<AnswerKind, string>> = {
  chat: 'console.log(answer.choices[0].message.content)',
  completion: 'console.log(answer.choices[0].text)',
  messages: 'console.log(answer.content.map((part: { text?: string }) => part.text ?? "").join(""))',
  other: 'console.log(answer)',
}

export function typescript({ method, address, headers, body, images, kind, isStream }: CodeParts): string {
  return [
    ...(images.length > 0 ? ['import { readFile } from "node:fs/promises"', ''] : []),
    ...(headers.some(({ hasKey }) => hasKey) ? ['const key = process.env.PLAN_KEY'] : []),
    ...images.map((image) => `const ${imageName(image)} = await readFile(${quoteText(image.file)}, "base64")`),
    `const body = ${writeLiteral(body, style)}`,
    '',
    `const response = await fetch(${quoteText(address)}, {`,
    `  method: ${quoteText(method)},`,
    '  headers: {',
    ...headers.map((header) => `    ${headerMember(header)},`),
    '  },',
    '  body: JSON.stringify(body),',
    '})',
    ...(isStream
      ? streamLines(kind)
      : [
          `if (!response.ok) ${throwStatement}`,
          'const answer = JSON.parse(await response.text())',
          fullOutputCode[kind],
        ]),
    '',
  ].join('\n')
}

function headerMember({ name, value, hasKey }: CodeHeader): string {
  const propertyName = /^\w+$/.test(name) ? name : quoteText(name)
  if (!hasKey) return `${propertyName}: ${quoteText(value)}`
  return `${propertyName}: \`${value}\${key}\``
}

const throwStatement = 'throw new Error(response.status + " " + (await response.text()))'

const streamLines = (kind: AnswerKind): readonly string[] => [
  `if (!response.ok || !response.body) ${throwStatement}`,
  '',
  'let rest = ""',
  'for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {',
  '  const lines = (rest + piece).split(/\\r\\n|\\n|\\r/)',
  '  rest = lines.pop() ?? ""',
  '  for (const line of lines) {',
  '    if (!line.startsWith("data:")) continue',
  '    const data = line.slice("data:".length).trim()',
  '    if (data === "[DONE]") continue',
  '    const event = JSON.parse(data)',
  `    ${streamOutputCode[kind]}`,
  '  }',
  '}',
  'console.log()',
]
