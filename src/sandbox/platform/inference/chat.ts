import { ZodError } from 'zod'
import { chatCompletions } from '../../gateway/chat-completions'
import { countTexts, inputTokensOf } from '../../gateway/input-tokens'
import type { Completion, TextRequest } from '../../gateway/standard'
import { reply } from '../../text-model/reply'
import { loadTokenizer } from '../../text-model/tokenizer'
import { refuseInput } from '../body'
import { type Call, ok, type Reply } from '../operation'
import { checkContext, readAsked } from './asked'
import { sendStream } from './send-stream'

function readRequest(body: unknown): TextRequest {
  try {
    return chatCompletions.parse(body)
  } catch (error) {
    throw error instanceof ZodError ? refuseInput(error) : error
  }
}

/** Answers a conversation as the gateway does, without a plan and its allowances. */
export async function chat(call: Call): Promise<Reply | undefined> {
  const { model, body } = await readAsked(call, 'chat')
  const request = readRequest(body)
  const { modelCode, prompt, history, maxTokens, wantsUsage, isStream } = request
  const tokenizer = await loadTokenizer()
  const inputTokens = inputTokensOf(countTexts(tokenizer, request), request)
  checkContext(model, inputTokens)
  const { text, tokens: outputTokens, isCut } = tokenizer.limit(reply({ modelCode, prompt, history }), maxTokens)
  const createdMs = call.store.nowMs()
  const completion: Completion = { createdMs, modelCode, text, isCut, wantsUsage, inputTokens, outputTokens }
  call.note({ stream: isStream, inputTokens, outputTokens })
  if (!isStream) return ok(chatCompletions.answer(completion))
  await sendStream(call, [...chatCompletions.stream(completion)], outputTokens)
}
