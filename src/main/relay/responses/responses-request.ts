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
export interface ResponsesTool {
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
