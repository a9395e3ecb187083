import { z } from 'zod'
import { Amount, CleanName, EmptyInputSchema, ItemId, ModelCode, method } from './common'

/** Maximum number of budgets. The relay checks every blocking budget on each request. */
export const maxBudgets = 100

const SubjectId = z.string().min(1).max(500)

/** Subject of a budget by local ids. A person's budget counts the local keys that the person holds. */
export const BudgetSubject = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('plan'), planId: SubjectId }),
  z.strictObject({ kind: z.literal('key'), planId: SubjectId, keyId: SubjectId }),
  z.strictObject({ kind: z.literal('tool'), toolId: z.string().min(1).max(64) }),
  z.strictObject({ kind: z.literal('model'), modelCode: ModelCode }),
  z.strictObject({ kind: z.literal('person'), name: CleanName(100) }),
])
export type BudgetSubject = z.infer<typeof BudgetSubject>

/**
 * Limit of relay requests per day, week or cycle in the computer's time zone. Only plans and keys have cycles. `warn`
 * alerts, `refuse` returns 429 when used up.
 */
export const BudgetInput = z.strictObject({
  /** Id of the budget. Absent for a new budget. */
  id: z.string().max(100).optional(),
  /** Unique. */
  name: CleanName(60),
  subject: BudgetSubject,
  unit: z.enum(['tokens', 'requests']),
  limit: z.number().int().min(1).max(1e12),
  period: z.enum(['day', 'week', 'cycle']),
  action: z.enum(['warn', 'refuse']),
})
export type BudgetInput = z.infer<typeof BudgetInput>

/** A budget with its current usage from the ledger. */
export const BudgetView = z.strictObject({
  ...BudgetInput.shape,
  id: z.string(),
  /** Name of the budget's subject. Absent when the subject no longer exists on this computer. */
  subjectName: z.string().optional(),
  used: Amount,
  /** Half-open. */
  from: z.iso.datetime(),
  to: z.iso.datetime(),
})
export type BudgetView = z.infer<typeof BudgetView>

export const budgets = {
  /** Sorted by name. */
  'budgets.list': method(EmptyInputSchema, z.array(BudgetView)),
  /** Adds or changes a budget. Fails with `budget.*`, `plan.notFound`, `key.notFound` or `input.invalid`. */
  'budgets.save': method(BudgetInput, BudgetView),
  'budgets.remove': method(ItemId, EmptyInputSchema),
}
