import type { Delivery, MethodOutput, PlanView, ProfileEntry, ProfileFile, ToolView } from '@shared/contract'
import { CleanName, ModelCode } from '@shared/contract/common'
import { ProfileName, Slots } from '@shared/contract/tools'
import { AppError } from '@shared/failure'
import { cleanName } from '@shared/hidden-characters'
import { z } from 'zod'
import type { Disk } from '../../core/files/disk'
import { readChosenText, writeChosenFile } from '../../core/files/files'
import { parseGatewayAddress } from '../../core/net/address'
import type { FileDialogs } from '../../core/ports'
import { redact } from '../../core/secret'
import type { ProfileRecord } from '../../core/settings/settings'
import { jsonEditor } from '../editors/json'
import { userSite } from '../target'

const PROFILE_FILE_KIND = 'platform-companion-profile'
const FORMAT_VERSION = 1

const Ref = z.string().min(1).max(60)

const FilePlan = z.strictObject({
  ref: Ref,
  name: CleanName(50),
  gatewayUrl: z.string().min(1).max(2000),
  models: z.array(ModelCode).max(200),
  contextTokens: z.number().int().min(1000).max(10_000_000),
})

const FileTool = z.strictObject({
  tool: z.string().min(1).max(60),
  plan: Ref,
  model: ModelCode,
  slots: Slots.default({}),
  /** Delivery of the key to the tool. Any string, so that files of newer app versions can still be read. */
  delivery: z.string().min(1).max(60),
  /** Whether the tool uses the gateway or the relay. Default: gateway. */
  route: z.string().min(1).max(60).optional(),
})

const ProfileHead = z.looseObject({ kind: z.literal(PROFILE_FILE_KIND), version: z.number().int().positive() })

/** Content of a profile file. It contains no keys and no ids of this computer. */
const ProfileContent = z.strictObject({
  kind: z.literal(PROFILE_FILE_KIND),
  version: z.literal(FORMAT_VERSION),
  name: ProfileName,
  plans: z.array(FilePlan).min(1).max(100),
  tools: z.array(FileTool).min(1).max(100),
})
export type ProfileContent = z.infer<typeof ProfileContent>

type KnownPlan = Pick<PlanView, 'id' | 'name' | 'gatewayUrl' | 'models' | 'contextTokens'>

/**
 * A profile as text for a teammate. Omits setups of a project folder or a WSL distribution, which exist only on this
 * computer. Fails with `profile.incomplete` when a plan is missing or nothing is left.
 */
export function profileText({ name, entries }: ProfileRecord, plans: readonly KnownPlan[]): string {
  const portableEntries = entries.filter(({ site }) => site.kind === 'user')
  if (portableEntries.length === 0) {
    const message = `Every configuration of the profile ${name} belongs to a folder on this computer. There is nothing to export.`
    throw new AppError('profile.incomplete', message)
  }
  const usedPlans = [...new Set(portableEntries.map(({ planId }) => planId))].map((planId) => {
    const plan = plans.find(({ id }) => id === planId)
    if (plan) return plan
    const missingPlanName = portableEntries.find((entry) => entry.planId === planId)?.planName ?? planId
    const message = `The plan ${missingPlanName} is no longer on this computer. Choose another first.`
    throw new AppError('profile.incomplete', message)
  })
  const toPlanRef = (planId: string): string => `plan-${usedPlans.findIndex(({ id }) => id === planId) + 1}`
  const content: ProfileContent = {
    kind: PROFILE_FILE_KIND,
    version: FORMAT_VERSION,
    name,
    plans: usedPlans.map(({ id, name: plan, gatewayUrl, models, contextTokens }) => {
      return { ref: toPlanRef(id), name: plan, gatewayUrl, models, contextTokens }
    }),
    tools: portableEntries.map(({ toolId: tool, planId, modelCode: model, slots, delivery, route }) => {
      return { tool, plan: toPlanRef(planId), model, slots, delivery, ...(route === undefined ? {} : { route }) }
    }),
  }
  return `${JSON.stringify(content, null, 2)}\n`
}

/** Parses a profile file. Fails with `profile.unreadable`. The failure never contains a value of the file. */
export function readProfile(text: string): ProfileContent {
  const parsedDocument = jsonEditor.parse(text)
  if (!parsedDocument.ok) {
    const { message, line } = parsedDocument.error
    throw createReadError(message, line === undefined ? {} : { line })
  }
  if (text.trim() === '') throw createReadError('It is empty.')
  const { value } = parsedDocument
  const head = ProfileHead.safeParse(value)
  if (!head.success) throw createReadError('It is not a profile. Export one to see its format.')
  if (head.data.version > FORMAT_VERSION) {
    throw createReadError('It was created by a newer version of this app. Update the app, then import it again.')
  }
  const parsedContent = ProfileContent.safeParse(value)
  if (!parsedContent.success) throw toFileFormatError(parsedContent.error)
  return checkContent(parsedContent.data)
}

export function toProfileFileView(
  content: ProfileContent,
  plans: readonly KnownPlan[],
  tools: readonly ToolView[],
): ProfileFile {
  const knownTools = content.tools.flatMap((profileTool) => {
    const tool = findWritableTool(tools, profileTool.tool)
    if (!tool) return []
    const isOffered = pickDelivery(profileTool.delivery, tool) === profileTool.delivery
    return [{ ...profileTool, toolName: tool.name, isOffered }]
  })
  const unknownTools = content.tools.filter(({ tool }) => !findWritableTool(tools, tool))
  return {
    name: content.name,
    plans: content.plans
      .filter(({ ref }) => knownTools.some(({ plan }) => plan === ref))
      .map((plan) => ({ ...plan, ...matchPlan(plan, plans) })),
    tools: knownTools.map(({ tool: toolId, toolName, plan: planRef, model: modelCode }) => {
      return { toolId, toolName, planRef, modelCode }
    }),
    notes: [
      ...unknownTools.map(({ tool }) => ({ toolId: cleanName(redact(tool)), what: 'toolUnknown' as const })),
      ...knownTools
        .filter(({ isOffered }) => !isOffered)
        .map(({ tool }) => ({ toolId: tool, what: 'deliveryUnknown' as const })),
    ],
  }
}

export function toProfileEntries(
  content: ProfileContent,
  planIds: Readonly<Record<string, string>>,
  tools: readonly ToolView[],
): ProfileEntry[] {
  return content.tools.flatMap(({ tool: toolId, plan, model, slots, ...entry }) => {
    const tool = findWritableTool(tools, toolId)
    if (!tool) return []
    const planId = planIds[plan]
    if (planId === undefined) throw new AppError('profile.incomplete', `No plan was chosen for ${plan}.`)
    const slotsToKeep = Object.fromEntries(
      Object.entries(slots).filter(([id]) => tool.slots.some((slot) => slot.id === id)),
    )
    const delivery = pickDelivery(entry.delivery, tool)
    const route = tool.routes.find((toolRoute) => toolRoute === entry.route) ?? tool.routes[0]
    const routeField = route === 'relay' ? { route } : {}
    return [{ toolId, site: userSite, planId, modelCode: model, slots: slotsToKeep, delivery, ...routeField }]
  })
}

const findWritableTool = (tools: readonly ToolView[], toolId: string): ToolView | undefined =>
  tools.find(({ id, kind }) => id === toolId && kind === 'written')

/** The delivery in the file if the tool supports it, or else the tool's preferred one. */
const pickDelivery = (requestedDelivery: string, { deliveries }: ToolView): Delivery =>
  deliveries.find((delivery) => delivery === requestedDelivery) ?? deliveries[0] ?? 'plain'

/** Finds a plan with the same gateway, preferably one with the file's models. Otherwise finds one of the same name. */
function matchPlan(
  profilePlan: ProfileContent['plans'][number],
  plans: readonly KnownPlan[],
): { matchingPlanId?: string } {
  const getPlanWeight = (plan: KnownPlan): number =>
    (profilePlan.models.every((code) => plan.models.includes(code)) ? 2 : 0) + (plan.name === profilePlan.name ? 1 : 0)
  const [best] = plans
    .filter(({ gatewayUrl }) => gatewayUrl === profilePlan.gatewayUrl)
    .toSorted((a, b) => getPlanWeight(b) - getPlanWeight(a))
  return best ? { matchingPlanId: best.id } : {}
}

/** Rejects dangling and duplicate references, duplicate tools, and addresses that no plan can have. */
function checkContent(content: ProfileContent): ProfileContent {
  const refs = content.plans.map(({ ref }) => ref)
  if (new Set(refs).size < refs.length) throw createReadError('Two of its plans have the same ref.', { field: 'plans' })
  const tools = content.tools.map(({ tool }) => tool)
  if (new Set(tools).size < tools.length) throw createReadError('It configures a tool twice.', { field: 'tools' })
  if (content.tools.some(({ plan }) => !refs.includes(plan))) {
    throw createReadError('One of its tools uses a plan that is not in it.', { field: 'tools' })
  }
  const plans = content.plans.map((plan) => {
    const address = parseGatewayAddress(plan.gatewayUrl)
    if (address.ok) return { ...plan, gatewayUrl: address.value.url }
    throw createReadError(`A gateway address in it cannot be used. ${address.error.message}`, { field: 'gatewayUrl' })
  })
  return { ...content, plans }
}

function toFileFormatError({ issues: [issue] }: z.ZodError): AppError {
  const path = issue?.path.join('.') ?? ''
  if (issue?.code === 'unrecognized_keys') {
    const names = issue.keys.map((name) => cleanName(redact(name), 60)).join(', ')
    return createReadError(`It has unknown fields: ${names}. A profile never contains a key or another secret.`)
  }
  const field = cleanName(redact(path), 100)
  return createReadError(`${field || 'It'} is not valid (${issue?.message ?? 'unknown'}).`, field ? { field } : {})
}

const createReadError = (reason: string, errorPosition: { line?: number; field?: string } = {}): AppError =>
  new AppError('profile.unreadable', `The profile cannot be read. ${reason}`, errorPosition)

interface ProfileFilesDeps {
  readonly profiles: {
    exportText(id: string): { readonly name: string; readonly text: string }
    read(text: string): Promise<{ importId: string; file: ProfileFile }>
  }
  readonly dialogs: Pick<FileDialogs, 'open' | 'save'>
  readonly disk: Disk
}

export function createProfileFiles({ profiles, dialogs, disk }: ProfileFilesDeps) {
  return {
    /** Exports a profile. Fails with `profile.*` or `file.unwritable`. */
    async export(id: string): Promise<MethodOutput<'profiles.export'>> {
      const { name, text } = profiles.exportText(id)
      const fileName = name.replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 50)
      const path = await dialogs.save(`${fileName}.profile.json`, 'json')
      return writeChosenFile(path, text, disk, 0o644)
    },
    /** Reads a profile file. Fails with `profile.unreadable` or `file.unreadable`. */
    async read(): Promise<MethodOutput<'profiles.readFile'>> {
      const path = await dialogs.open('json')
      if (path === undefined) return {}
      const limits = { maxBytes: 256_000, kind: 'a profile', code: 'profile.unreadable' } as const
      return profiles.read(await readChosenText(path, limits))
    },
  }
}
