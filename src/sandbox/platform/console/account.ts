import { type Call, ok, type Reply } from '../operation'

/** Tells account, role and balance (1 credit = 1 VND). */
export function getAccount({ store }: Call): Reply {
  const { accountId, role, credits } = store.world().account
  return ok({ accountId, role, credits })
}
