import type { PlanView } from '@shared/contract'
import type { Forecast, Gauge } from '@shared/contract/quota'
import { UsageCounts } from '@shared/contract/usage'
import { dayMs } from '@shared/durations'
import { AppError } from '@shared/failure'
import { getContextTokens } from '@shared/model-facts'
import { z } from 'zod'
import { formatExactTime } from '../core/local-time'
import { filterByProject } from '../usage/project'
import { formatTightestPlan } from '../usage/quota/quota'
import { remainingPercent } from '../usage/quota/status-cache'
import { requirePeriod } from '../usage/usage'
import { defineTool, Page, slicePage } from './calls'

const amount = z.number().int().nonnegative()
const Name = z.string().max(200)
const planHint = 'Name or ID of the plan. Without it, every plan.'

const Plan = z.object({
  id: z.string(),
  name: z.string(),
  status: z.enum(['active', 'expired']),
  expiresAt: z.string().optional(),
  models: z.array(z.string()),
  contextTokens: amount,
  keys: z.array(z.object({ name: z.string(), masked: z.string(), status: z.string().optional() })),
})

/** A plan in a result, with names and masked forms of its keys. */
export function resolvePlan(plan: PlanView): z.infer<typeof Plan> {
  const { id, name, expiresAt, aheadMs = 0, models, contextTokens, keys } = plan
  const hasExpired = expiresAt !== undefined && Date.parse(expiresAt) <= Date.now() + aheadMs
  return {
    id,
    name,
    status: hasExpired ? 'expired' : 'active',
    models,
    contextTokens,
    expiresAt,
    keys: keys.map((key) => ({ name: key.name, masked: key.masked, status: key.status })),
  }
}

/** The named plan, or the only one. Fails with `plan.notFound` or `input.invalid`. */
function findPlan(plans: readonly PlanView[], nameOrId: string | undefined): PlanView {
  const planMatches = plans.filter(({ id, name }) => nameOrId === undefined || id === nameOrId || name === nameOrId)
  const [only] = planMatches
  if (only && planMatches.length === 1) return only
  if (plans.length === 0) throw new AppError('plan.notFound', 'There is no plan on this computer. Add one in the app.')
  const names = plans.map(({ id, name }) => `${name} (${id})`).join(', ')
  if (planMatches.length === 0)
    throw new AppError('plan.notFound', `There is no plan ${nameOrId}. There are: ${names}.`)
  throw new AppError('input.invalid', `Name one of the plans: ${names}.`, { field: 'plan' })
}

const plansTool = defineTool({
  name: 'plans',
  title: 'Token plans',
  description: 'Lists the prepaid token plans on this computer: status, expiry, models, and keys by name.',
  input: z.object(Page),
  output: z.object({ plans: z.array(Plan), nextCursor: z.string().optional() }),
  run: async ({ cursor, limit }, { services }) => {
    const { items, nextCursor } = slicePage(services.plans(), cursor, limit)
    return { plans: items.map(resolvePlan), nextCursor }
  },
})

const RemainingAmount = z.object({
  used: amount,
  quota: amount.optional(),
  remaining: amount.optional(),
  remainingPercent: z.number().optional(),
  forecast: z.string(),
})

function describeRemaining({ used, quota, forecast }: Gauge, isRenewed: boolean): z.infer<typeof RemainingAmount> {
  return {
    used,
    quota,
    remaining: quota === undefined ? undefined : Math.max(0, quota - used),
    remainingPercent: remainingPercent({ used, quota }),
    forecast: forecastText(forecast, isRenewed ? 'the renewal' : 'the plan expires'),
  }
}

const ModelRemaining = z.object({
  plan: z.string(),
  model: z.string(),
  countedBy: z.enum(['console', 'machine']),
  isExpired: z.boolean(),
  renewsAt: z.string().optional(),
  expiresAt: z.string().optional(),
  tokens: RemainingAmount,
  requests: RemainingAmount,
})

const quotaTool = defineTool({
  name: 'quota',
  title: 'Remaining quota',
  description:
    'Remaining tokens and requests of each model of each plan, with a forecast. Token and request quotas are separate and belong to one model each. The lowest quota comes first.',
  input: z.object({ plan: Name.optional().describe(planHint), model: Name.optional().describe('Code of the model.') }),
  output: z.object({ lowest: z.string().optional(), models: z.array(ModelRemaining) }),
  isOpenWorld: true,
  text: ({ lowest, models }) =>
    [...(lowest ? [`Lowest quota: ${lowest}.`] : []), ...models.map(quotaLine)].join('\n') || 'No quota is known.',
  run: async ({ plan, model }, { services }) => {
    const plans = (await services.quotas()).filter(
      ({ planId, name, label }) => plan === undefined || [planId, name, label].includes(plan),
    )
    if (plan !== undefined && plans.length === 0) findPlan(services.plans(), plan)
    const models = plans.flatMap(({ name, label, source, isExpired, cycle, models: planModels }) =>
      planModels
        .filter(({ modelCode }) => model === undefined || modelCode === model)
        .map(({ modelCode, tokens, requests }) => ({
          plan: label ?? name,
          model: modelCode,
          countedBy: source,
          isExpired,
          ...(cycle ? { [cycle.autoRenew === false ? 'expiresAt' : 'renewsAt']: cycle.to } : {}),
          tokens: describeRemaining(tokens, cycle?.autoRenew !== false),
          requests: describeRemaining(requests, cycle?.autoRenew !== false),
        })),
    )
    if (model !== undefined && models.length === 0)
      throw unknownModel(
        model,
        plans.map((planQuota) => ({ models: planQuota.models.map(({ modelCode }) => modelCode) })),
      )
    return { models, lowest: formatTightestPlan(plans, 'en') }
  },
})

function quotaLine({ plan, model, tokens, requests }: z.infer<typeof ModelRemaining>): string {
  const formatAmount = (
    { remaining, remainingPercent: percent, used, forecast }: z.infer<typeof RemainingAmount>,
    unit: string,
  ) =>
    remaining === undefined
      ? `${used} ${unit} used (quota not known)`
      : `${remaining} ${unit} left (${percent}%; ${forecast})`
  return `${plan}, ${model}: ${formatAmount(tokens, 'tokens')}, ${formatAmount(requests, 'requests')}.`
}

const splits = ['model', 'tool', 'key', 'plan', 'project', 'day'] as const

const usageTool = defineTool({
  name: 'usage',
  title: 'Usage',
  description:
    "What was used in a period: requests, errors and tokens by model, tool, key, plan, project folder or day, as counted on this computer by the relay, the tools' logs and the app.",
  input: z.object({
    by: z.enum(splits).default('model'),
    days: z.number().int().min(1).max(366).default(7).describe('How many days back, unless "from" is given.'),
    from: z.iso.datetime({ offset: true }).optional(),
    to: z.iso.datetime({ offset: true }).optional(),
    plan: Name.optional().describe(planHint),
    model: Name.optional(),
    tool: Name.optional().describe('ID of a coding tool, such as claude-code.'),
    project: Name.optional().describe('Name or ID of a project folder.'),
  }),
  output: z.object({
    from: z.string(),
    to: z.string(),
    rows: z.array(z.object({ id: z.string(), name: z.string().optional(), ...UsageCounts.shape })),
    totals: UsageCounts,
  }),
  run: async ({ by, days, from, to, plan, model, tool, project }, { services }) => {
    const end = to === undefined ? Date.now() : Date.parse(to)
    const start = from === undefined ? end - days * dayMs : Date.parse(from)
    if (start >= end) throw new AppError('input.invalid', '"from" must be before "to".', { field: 'from' })
    const span = { from: new Date(start).toISOString(), to: new Date(end).toISOString() }
    requirePeriod(span, 'day')
    const baseFilter = {
      scope: 'machine' as const,
      ...span,
      ...(plan === undefined ? {} : { planId: findPlan(services.plans(), plan).id }),
      ...(model === undefined ? {} : { modelCode: model }),
      ...(tool === undefined ? {} : { toolId: tool }),
    }
    if (tool !== undefined && !(await services.toolIds()).includes(tool)) {
      const message = `There is no coding tool ${tool}. There are: ${(await services.toolIds()).join(', ')}.`
      throw new AppError('input.invalid', message, { field: 'tool' })
    }
    const filter = project === undefined ? baseFilter : await filterByProject(services.usage, baseFilter, project)
    const { totals, buckets } = await services.usage.series({ filter, step: 'day', compare: false })
    const rows =
      by === 'day'
        ? buckets.map(({ start: id, ...counts }) => ({ id, ...counts }))
        : [...(await services.usage.shares({ filter, by }))]
    // Accept a model that no plan lists any more, because it may still have usage.
    const plans = services.plans()
    if (model !== undefined && totals.requests === 0 && !plans.some(({ models }) => models.includes(model)))
      throw unknownModel(model, plans)
    return { ...span, rows, totals }
  },
})

const modelsTool = defineTool({
  name: 'models',
  title: 'Models',
  description:
    'Model codes that each plan may call, with the context size in tokens and the known capabilities. Send a code exactly as listed.',
  input: z.object({ plan: Name.optional().describe(planHint), ...Page }),
  output: z.object({
    models: z.array(
      z.object({
        plan: z.string(),
        model: z.string(),
        contextTokens: amount,
        isExpired: z.boolean(),
        capabilities: z.array(z.string()).optional(),
      }),
    ),
    nextCursor: z.string().optional(),
  }),
  run: async ({ plan: planNameOrId, cursor, limit }, { services }) => {
    const listPlans = () => (planNameOrId === undefined ? services.plans() : [findPlan(services.plans(), planNameOrId)])
    await Promise.all(listPlans().map(({ id }) => services.learnModels(id)))
    const allModels = listPlans().flatMap((plan) => {
      const isExpired = resolvePlan(plan).status === 'expired'
      return plan.models.map((model) => {
        const capabilities = plan.modelFacts?.find(({ modelCode }) => modelCode === model)?.capabilities
        const contextTokens = getContextTokens(plan, model)
        return { plan: plan.name, model, contextTokens, isExpired, capabilities }
      })
    })
    const { items, nextCursor } = slicePage(allModels, cursor, limit)
    return { models: items, nextCursor }
  },
})

const diagnoseTool = defineTool({
  name: 'diagnose',
  title: 'Diagnose a coding tool',
  description:
    'Checks a coding tool from its settings to one small live request. The request uses a few tokens and is sent only where ask_model is switched on. Without "tool", the coding tool that calls. The result is kept for 30 s.',
  input: z.object({ tool: Name.optional().describe('ID of the coding tool, such as claude-code.') }),
  output: z.object({
    tool: z.string(),
    outcome: z.enum(['ok', 'warning', 'failed']),
    findings: z.array(
      z.object({
        check: z.string(),
        outcome: z.enum(['ok', 'warning', 'failed', 'skipped']),
        subject: z.string().optional(),
        message: z.string().optional(),
        fix: z.string().optional(),
      }),
    ),
  }),
  isOpenWorld: true,
  run: async ({ tool }, { services, toolId, signal }) => {
    const targetToolId = tool ?? toolId
    if (targetToolId === undefined) {
      const message = 'Name the coding tool, because the calling tool is unknown.'
      throw new AppError('input.invalid', message, { field: 'tool' })
    }
    const { toolName, outcome, findings } = await services.diagnose(targetToolId, {
      signal,
      sendsRequest: services.permissions(toolId).includes('ask_model'),
    })
    return {
      tool: toolName,
      outcome,
      findings: findings.map(({ failure, ...finding }) => ({ ...finding, message: failure?.message })),
    }
  },
})

const maxPromptLength = 500_000

const askModelTool = defineTool({
  name: 'ask_model',
  title: 'Ask another model',
  description:
    'Sends one prompt to another model of a plan and returns its response. Uses quota of the plan, so the user must switch it on for each coding tool. Progress carries the response as it comes.',
  input: z.object({
    model: Name.min(1).describe('Code of the model, see the tool "models".'),
    prompt: z.string().min(1).max(maxPromptLength),
    system: z.string().max(200_000).default(''),
    plan: Name.optional().describe('Name or ID of the plan. Needed where several have the model.'),
    maxTokens: z.number().int().min(1).max(64_000).default(4096),
  }),
  output: z.object({
    text: z.string(),
    plan: z.string(),
    model: z.string(),
    inputTokens: amount.optional(),
    outputTokens: amount.optional(),
    durationMs: z.number().optional(),
    finishReason: z.string().optional(),
  }),
  permission: 'ask_model',
  isOpenWorld: true,
  isForeignText: true,
  text: ({ text }) => text,
  run: async ({ model, prompt, system, plan: planNameOrId, maxTokens }, { services, toolId, signal, progress }) => {
    const allPlans = services.plans()
    const plan = findPlan(
      withModel(planNameOrId === undefined ? allPlans : [findPlan(allPlans, planNameOrId)], model),
      planNameOrId,
    )
    let length = 0
    const onText = (chunk: string): void => {
      length += chunk.length
      progress(length, chunk)
    }
    const modelRequest = { planId: plan.id, modelCode: model, prompt, system, maxTokens, toolId }
    const { run, answer } = await services.ask(modelRequest, { signal, onText })
    const { inputTokens, outputTokens, durationMs, finishReason } = run
    return { text: answer.text, plan: plan.name, model, inputTokens, outputTokens, durationMs, finishReason }
  },
})

function unknownModel(model: string, plans: readonly Pick<PlanView, 'models'>[]): AppError {
  const list = [...new Set(plans.flatMap(({ models }) => models))].join(', ') || 'none'
  return new AppError('input.invalid', `No plan has the model ${model}. There are: ${list}.`, { field: 'model' })
}

/** Plans that list the model, or no models at all: then the gateway decides. Fails with `input.invalid`. */
function withModel(plans: readonly PlanView[], model: string): readonly PlanView[] {
  const plansWithModel = plans.filter(({ models }) => models.includes(model))
  const activePlans = plansWithModel.filter((plan) => resolvePlan(plan).status === 'active')
  if (activePlans.length > 0) return activePlans
  if (plansWithModel.length > 0) return plansWithModel
  const plansWithoutModels = plans.filter(({ models }) => models.length === 0)
  if (plans.length > 0 && plansWithoutModels.length === 0) throw unknownModel(model, plans)
  return plansWithoutModels
}

export const planTools = [plansTool, quotaTool, usageTool, modelsTool, diagnoseTool, askModelTool]

/** A forecast as one English sentence without a full stop, for terminals and coding tools. Times are local. */
function forecastText(forecast: Forecast, end: 'the renewal' | 'the plan expires'): string {
  switch (forecast.kind) {
    case 'notEnough':
      return noForecastTexts[forecast.reason]
    case 'lasts':
      return `lasts until ${end}, about ${percent(forecast.used)} used by then`
    case 'runsOut':
      return `runs out around ${formatExactTime(forecast.at)}, ${days(forecast.daysBeforeRenewal)} before ${end}`
    case 'exhausted':
      return `used up until ${end}`
  }
}

const noForecastTexts = {
  tooShort: 'no forecast yet: the cycle has just begun',
  noHistory: 'no forecast yet: too little usage is known',
  noCycle: 'no forecast: the cycle is not known',
  noAllowance: 'no forecast: the quota is not known',
} as const

const percent = (share: number): string => `${Math.round(share * 100)}%`
const days = (count: number): string =>
  count < 1.5 ? `${Math.max(1, Math.round(count * 24))} hours` : `${Math.round(count)} days`
