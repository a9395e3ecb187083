import { z } from 'zod'
import { Refused } from '../../http/refused'
import { deletePlan } from '../../state/plan-deletion'
import { type Call, ok, type Reply } from '../operation'
import { planWith } from './lookups'

/** Ours: as many plans as one page can list. */
const mostAtOnce = 100
const Batch = z.object({
  planIds: z
    .array(z.string('must be a text: the id of a plan'), 'must be a list of plan ids')
    .min(1, 'must name at least one plan')
    .max(mostAtOnce, `must name at most ${mostAtOnce} plans; delete the rest in a second call`),
})

interface Deleted {
  readonly planId: string
  readonly refund: number
}

function deleteById({ store }: Call, planId = ''): Deleted {
  const before = store.world()
  const { world, refund } = deletePlan(before, planWith(before, planId))
  store.replace(world)
  return { planId, refund }
}

/** Deletes a plan and tells what went back to the credits, in VND. Throws 404, also the second time. */
export function deleteOne(call: Call): Reply {
  return ok(deleteById(call, call.params.planId))
}

/** Deletes plans one by one: one that cannot be deleted does not keep the others. An id that is named twice is told once (ours). */
export async function batchDelete(call: Call): Promise<Reply> {
  const { planIds } = await call.body(Batch)
  const deleted: Deleted[] = []
  const failed: { planId: string; code: string; message: string }[] = []
  for (const planId of new Set(planIds)) {
    try {
      deleted.push(deleteById(call, planId))
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      failed.push({ planId, code: error.code, message: error.message })
    }
  }
  return ok({ deleted, failed })
}
