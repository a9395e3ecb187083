import { explainStatus } from '../../gateway/explain'
import { post, service } from '../table'

/** The token plan's gateway, with a subscription key (spec, "Token plan gateway"); its errors have a table of their own. */
export const gateway = service(
  'gateway',
  {
    address: 'tokenPlanUrl',
    credential: 'gateway',
    explain: ({ address, ...refusal }) =>
      explainStatus({ ...refusal, requestAddress: address, standard: 'chat-completions' }),
  },
  {
    chatCompletions: post('/v1/chat/completions'),
  },
)
