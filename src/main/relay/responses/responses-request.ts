import { createHash } from 'node:crypto'
import { z } from 'zod'

const Text = z.string().nullish()

/** One part of a message or of a tool's result; what a part of its type does not have is absent. */
const Part = z.object({
  type: z.string(),
  text: Text,
  refusal: Text,
  image_url: z.union([z.string(), z.object({ url: z.string() })]).nullish(),
  detail: Text,
  file_id: Text,
  file_data: Text,
  filename: Text,
  input_audio: z.unknown().optional(),
})
export type ResponsesPart = z.infer<typeof Part>

const Content = z.union([z.string(), z.array(Part)])
export type ResponsesContent = z.infer<typeof Content>

/** A tool as it is offered; `namespace` holds others. */
interface ResponsesTool {
  readonly type: string
  readonly name?: string | null | undefined
  readonly description?: string | null | undefined
  readonly parameters?: unknown
  readonly strict?: boolean | null | undefined
  readonly format?:
    | { readonly syntax?: string | undefined; readonly definition?: string | undefined }
    | null
    | undefined
  readonly tools?: readonly ResponsesTool[] | null | undefined
}

const Tool: z.ZodType<ResponsesTool> = z.lazy(() =>
  z.object({
    type: z.string(),
    name: Text,
    description: Text,
    parameters: z.unknown().optional(),
    strict: z.boolean().nullish(),
    format: z.object({ syntax: z.string().optional(), definition: z.string().optional() }).nullish(),
    tools: z.array(Tool).nullish(),
  }),
)

const Item = z.object({
  type: Text,
  role: Text,
  content: Content.nullish(),
  call_id: Text,
  id: Text,
  name: Text,
  namespace: Text,
  arguments: z.unknown().optional(),
  input: Text,
  output: z.unknown().optional(),
  action: z.unknown().optional(),
  tools: z.array(Tool).nullish(),
})
export type ResponsesItem = z.infer<typeof Item>

const Named = z.object({ type: z.string(), name: Text, namespace: Text })

/** The content of a tool's result; undefined when it is neither text nor parts. */
export const readContent = (value: unknown): ResponsesContent | undefined => Content.safeParse(value).data

/** The body of a request, as far as it can be said in chat-completions. */
export const ResponsesRequest = z.object({
  model: z.string().min(1),
  instructions: Text,
  input: z.union([z.string(), z.array(Item)]).nullish(),
  tools: z.array(Tool).nullish(),
  tool_choice: z.union([z.string(), Named.extend({ mode: Text, tools: z.array(Named).nullish() })]).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  stream: z.boolean().nullish(),
  max_output_tokens: z.number().nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  user: Text,
  reasoning: z.object({ effort: Text }).nullish(),
  text: z
    .object({
      format: z
        .object({
          type: z.string(),
          name: Text,
          description: Text,
          schema: z.unknown().optional(),
          strict: z.boolean().nullish(),
        })
        .nullish(),
    })
    .nullish(),
  previous_response_id: Text,
  conversation: z.unknown().optional(),
  prompt: z.unknown().optional(),
  background: z.boolean().nullish(),
})
export type ResponsesRequest = z.infer<typeof ResponsesRequest>

/** A tool as the model is offered it. */
export interface ChatTool {
  readonly type: 'function'
  readonly function: {
    readonly name: string
    readonly description?: string
    readonly parameters?: unknown
    readonly strict?: true
  }
}

/** What a function of the chat stands for: `custom` takes free text, `shell` is the tool that a client runs by itself. */
export interface ToolOrigin {
  readonly kind: 'function' | 'custom' | 'shell'
  readonly name: string
  readonly namespace?: string | undefined
}

/** Tools with their names in the chat. */
export interface ToolTable {
  readonly list: readonly ChatTool[]
  /** What a call of this name is for; a name that was not offered is a function. */
  originOf(chatName: string): ToolOrigin
}

const shellParameters = {
  type: 'object',
  properties: {
    command: { type: 'array', items: { type: 'string' }, description: 'The program and its arguments.' },
    working_directory: { type: 'string' },
    timeout_ms: { type: 'number' },
  },
  required: ['command'],
}

/** What the client's own shell is called in the chat. */
export const shellName = 'local_shell'

/** The name in the chat of a tool that may be within a namespace: letters, digits, `_` and `-`, at most 64 of them. */
export function chatNameOf(name: string, namespace?: string | null): string {
  const whole = typeof namespace === 'string' && namespace !== '' ? `${namespace}__${name}` : name
  const plain = whole.replace(/[^\w-]/g, '_')
  if (plain === whole && whole.length <= 64) return whole
  return `${plain.slice(0, 55)}_${createHash('sha256').update(whole).digest('hex').slice(0, 8)}`
}

/** The tools that a gateway can offer a model. What only a maker's own service runs (a search of the web, ...) is left out. */
export function toolTable(tools: readonly ResponsesTool[]): ToolTable {
  const offered = new Map<string, readonly [ChatTool, ToolOrigin]>()
  for (const [tool, origin] of tools.flatMap((each) => offers(each))) {
    if (!offered.has(tool.function.name)) offered.set(tool.function.name, [tool, origin])
  }
  return {
    list: [...offered.values()].map(([tool]) => tool),
    originOf: (chatName) => offered.get(chatName)?.[1] ?? { kind: 'function', name: chatName },
  }
}

function offers(tool: ResponsesTool, namespace?: string): readonly (readonly [ChatTool, ToolOrigin])[] {
  const { type, name } = tool
  if (type === 'namespace') return (tool.tools ?? []).flatMap((each) => offers(each, name ?? undefined))
  if (type === 'local_shell') {
    const description = 'Runs a command on the computer of the user.'
    const shell = { name: shellName, description, parameters: shellParameters }
    return [
      [
        { type: 'function', function: shell },
        { kind: 'shell', name: shellName },
      ],
    ]
  }
  if ((type !== 'function' && type !== 'custom') || typeof name !== 'string') return []
  const common = { name: chatNameOf(name, namespace), ...described(descriptionOf(tool)) }
  const rest = type === 'custom' ? { parameters: freeText } : parametersOf(tool)
  return [
    [
      { type: 'function', function: { ...common, ...rest } },
      { kind: type, name, namespace },
    ],
  ]
}

const described = (description: string) => (description === '' ? {} : { description })

/** The one argument of a function that takes free text. */
const freeText = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The whole input as plain text.' } },
  required: ['input'],
  additionalProperties: false,
}

function parametersOf({ parameters, strict }: ResponsesTool) {
  const given = parameters === undefined || parameters === null ? {} : { parameters }
  return strict === true ? { ...given, strict } : given
}

/** A grammar binds the model of the maker; another one can only be told of it. */
function descriptionOf({ description, format }: ResponsesTool): string {
  const { syntax = '', definition } = format ?? {}
  const grammar = definition === undefined ? [] : [`The input follows this ${syntax} grammar:`, definition]
  return [description ?? '', ...grammar].filter((line) => line !== '').join('\n\n')
}
