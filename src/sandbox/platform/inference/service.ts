import { chatCompletions } from '../../gateway/chat-completions'
import type { Service } from '../operation'
import { chat } from './chat'
import { complete } from './completions'
import { embedAll } from './embeddings'

/** Inference (spec, "Endpoints", B): opened by an IAM token or a platform API key, errors as in the chat-completions standard. */
export const inference: Service = {
  base: '/inference/v1',
  access: 'iam-or-api-key',
  operations: [
    { id: 'inference.chatCompletions', method: 'POST', path: '/chat/completions', run: chat },
    { id: 'inference.completions', method: 'POST', path: '/completions', run: complete },
    { id: 'inference.embeddings', method: 'POST', path: '/embeddings', run: embedAll },
  ],
  bodyLimitBytes: 20 * 1024 * 1024,
  errorBody: ({ code, ...error }) => chatCompletions.error({ ...error, code: code.toLowerCase(), requestId: '' }),
}
