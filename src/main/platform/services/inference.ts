import { post, service } from '../table'

/** Completions and embeddings, with a platform API key (spec, "Inference"). */
export const inference = service(
  'inference',
  {
    address: 'inferenceUrl',
    credential: 'inference',
    // There is nothing to list here; a request without a model costs nothing, and its refusal shows who was asked.
    test: { operation: 'chatCompletions', body: { model: '', messages: [] }, provenBy: ['api.badRequest'] },
  },
  {
    chatCompletions: post('/chat/completions'),
    completions: post('/completions'),
    embeddings: post('/embeddings'),
  },
)
