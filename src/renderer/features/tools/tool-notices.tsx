import type { PlanView, ToolView } from '@shared/contract'
import { findUsableModel, listModelSwitches } from '@shared/model-quota'
import { getToolStatusKind } from '@shared/tool-status'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import i18next from 'i18next'
import { ArrowRightLeft, KeyRound, MessageSquare } from 'lucide-react'
import { useNavigate } from 'react-router'
import { CopyText } from '../../copy-text'
import { formatList } from '../../format'
import { showFailureToast } from '../../i18n/failures'
import { CallError, call, invalidateDomains, useCall } from '../../ipc'
import { StatusDot } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { Code } from '../../ui/code'
import { RowIcon } from '../../ui/rows'
import { toast } from '../../ui/toast'
import { useToolName } from '../connections/account'
import { useModelQuotas } from '../usage/quota'
import { getToolStatus, isOnComputer, statusTones, toolPath } from './setups'
import { pickInForm } from './tool-form'

const t = i18next.getFixedT(null, 'tools')

/** Unique initials, such as "CC" for Claude Code, "Cd" for Codex CLI, "Cn" for Continue. */
function buildInitials(name: string): string {
  const [shortName = name] = name.split(/ CLI$/)
  const capitalLetters = shortName.match(/\p{Lu}/gu) ?? []
  // Take the first and third letter of a single word, because its second letter is often the same vowel.
  return capitalLetters.length > 1
    ? capitalLetters.slice(0, 2).join('')
    : shortName.charAt(0) + (shortName.charAt(2) || shortName.charAt(1))
}

export const ToolInitials = ({ tool }: { tool: Pick<ToolView, 'name'> }) => (
  <RowIcon>{buildInitials(tool.name)}</RowIcon>
)

export function ToolStatusDot({ setup }: { readonly setup: Parameters<typeof getToolStatusKind>[0] }) {
  const statusKind = getToolStatusKind(setup)
  return <StatusDot tone={statusTones[statusKind]} label={t(`statuses.${statusKind}`)} />
}

/** Empty state without a plan. */
export function AddPlanHint() {
  return (
    <Callout
      tone="info"
      title={t('noPlanTitle')}
      actions={[
        { label: t('openSandbox'), to: '/sandbox' },
        { label: t('addPlan'), variant: 'primary', icon: KeyRound, to: '/plans/new' },
      ]}
    >
      {t('noPlanText')}
    </Callout>
  )
}

/** Suggests a first tool to configure or to install. Renders nothing if any tool is configured. */
export function FirstToolSuggestion({ tools, plan }: { readonly tools: readonly ToolView[]; readonly plan: PlanView }) {
  if (tools.some((tool) => getToolStatus(tool).status !== 'absent')) return null
  // Suggest the first installed tool, because the list starts with the most common tools.
  const likelyTool = tools.find((tool) => tool.kind === 'written' && tool.installed)
  const example = tools.find((tool) => tool.kind === 'written' && tool.install !== undefined)
  if (likelyTool) {
    return (
      <Callout
        tone="info"
        title={t('first.title', { tool: likelyTool.name })}
        actions={[
          {
            label: t('first.preview'),
            variant: 'primary',
            to: toolPath(likelyTool.id, 'configure'),
            onClick: () => pickInForm(likelyTool.id, { planId: plan.id }),
          },
        ]}
      >
        {t('first.text', { plan: plan.name })}
      </Callout>
    )
  }
  if (!example || tools.some(isOnComputer)) return null
  return (
    <Callout
      tone="info"
      title={t('first.none')}
      actions={[{ label: t('first.playground'), icon: MessageSquare, to: '/playground' }]}
    >
      <p>{t('first.noneText', { tool: example.name })}</p>
      <InstallHint install={example.install} />
    </Callout>
  )
}

export function InstallHint({ install }: Pick<ToolView, 'install'>) {
  if (!install) return <span>{t('notInstalled')}</span>
  const isCommand = 'command' in install
  const text = isCommand ? install.command : install.url
  return (
    <span className="mt-0.5 flex flex-wrap items-center gap-1">
      {t('notInstalled')} · {t(isCommand ? 'install' : 'installFrom')} <Code>{text}</Code>
      <CopyText text={text} label={t(isCommand ? 'copyInstall' : 'copyInstallPage')} />
    </span>
  )
}

interface ExhaustedModel {
  /** Local id of the plan. */
  readonly planId: string
  readonly modelCode: string
}

/** The model to switch to and the tools to switch. Undefined if no tool uses the model, or no other model has quota. */
function useModelSwitch({ planId, modelCode: from }: ExhaustedModel) {
  const { data: tools = [] } = useCall('tools.list', {})
  const { data: plans = [] } = useCall('plans.list', {})
  const getToolName = useToolName()
  const exhausted = useModelQuotas().listExhausted(planId)
  const models = plans.find(({ id }) => id === planId)?.models.filter((code) => code !== from) ?? []
  const to = findUsableModel(models, exhausted)
  if (to === undefined || exhausted.has(to)) return undefined
  const { choices, modified } = listModelSwitches(tools, { planId, from, to })
  return choices.length === 0 ? undefined : { to, choices: [...choices], modified: modified.map(getToolName) }
}

/** Switches all tools from a model without quota to the plan's next model that has some. */
export function SwitchModelButton(model: ExhaustedModel) {
  const navigate = useNavigate()
  const showFailure = showFailureToast()
  const queries = useQueryClient()
  const modelSwitch = useModelSwitch(model)
  const switching = useMutation<void, CallError, NonNullable<typeof modelSwitch>>({
    mutationFn: async ({ choices }) => {
      const { previewId, left } = await call('tools.previewMany', { choices })
      if (left[0]) throw new CallError(left[0].failure)
      await call('tools.applyMany', { previewId })
    },
    onSuccess: (_, { to, choices, modified }) => {
      void toast(t('switchModel.done', { count: choices.length, model: to }), {
        ...(modified.length > 0 && {
          description: t('switchModel.modified', { tools: formatList(modified) }),
        }),
        action: { label: t('actions.history'), onClick: () => void navigate('/history') },
      })
    },
    onError: showFailure,
    onSettled: () => invalidateDomains(queries, ['tools', 'plans', 'profiles', 'relay']),
  })
  if (!modelSwitch) return null
  const { to, choices } = modelSwitch
  return (
    <Button size="sm" icon={ArrowRightLeft} busy={switching.isPending} onClick={() => switching.mutate(modelSwitch)}>
      {t('switchModel.button', { count: choices.length, model: to })}
    </Button>
  )
}

/** Notice that a tool's model has no quota left. */
export function ExhaustedNotice({ applied }: Pick<ToolView, 'applied'>) {
  const { listExhausted } = useModelQuotas()
  if (!applied || !listExhausted(applied.planId).has(applied.modelCode)) return null
  const { planId, modelCode } = applied
  return (
    <Callout
      tone="warning"
      title={t('switchModel.title', { model: modelCode })}
      actions={<SwitchModelButton planId={planId} modelCode={modelCode} />}
    >
      {t('switchModel.text')}
    </Callout>
  )
}
