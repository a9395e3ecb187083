import type { ToolView } from '@shared/contract'
import { findUsableModel, listModelSwitches } from '@shared/model-quota'
import { ArrowRightLeft } from 'lucide-react'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { formatList, useFormats } from '../../format'
import { useFailureToast } from '../../i18n/failures'
import { CallError, useAction, useCall } from '../../ipc'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { toast } from '../../ui/toast'
import { useModelQuotas } from '../usage/quota'
import { findToolName } from './sites'

interface ExhaustedModel {
  /** Local id of the plan. */
  readonly planId: string
  readonly modelCode: string
}

/** The model to switch to and the tools to switch. Undefined if no tool uses the model, or no other model has quota. */
function useModelSwitch({ planId, modelCode: from }: ExhaustedModel) {
  const { data: tools = [] } = useCall('tools.list', {})
  const { data: plans = [] } = useCall('plans.list', {})
  const exhausted = useModelQuotas().listExhausted(planId)
  const models = plans.find(({ id }) => id === planId)?.models.filter((code) => code !== from) ?? []
  const to = findUsableModel(models, exhausted)
  if (to === undefined || exhausted.has(to)) return undefined
  const { choices, modified } = listModelSwitches(tools, { planId, from, to })
  return choices.length === 0
    ? undefined
    : { to, choices: [...choices], modified: modified.map((toolId) => findToolName(tools, toolId)) }
}

/** Switches all tools from a model without quota to the plan's next model that has some. */
export function SwitchModelButton(model: ExhaustedModel) {
  const { t } = useTranslation('tools')
  const { locale } = useFormats()
  const navigate = useNavigate()
  const showFailure = useFailureToast()()
  const modelSwitch = useModelSwitch(model)
  // The switch in progress. The tools may be loaded again before the response.
  const requestedSwitch = useRef(modelSwitch)
  const apply = useAction('tools.applyMany', {
    invalidates: ['tools', 'plans', 'profiles', 'relay'],
    onSuccess: () => {
      if (!requestedSwitch.current) return
      const { to, choices, modified } = requestedSwitch.current
      void toast(t('switchModel.done', { count: choices.length, model: to }), {
        ...(modified.length > 0 && {
          description: t('switchModel.modified', { tools: formatList(modified, locale) }),
        }),
        action: { label: t('actions.history'), onClick: () => void navigate('/history') },
      })
    },
    onError: showFailure,
  })
  const preview = useAction('tools.previewMany', {
    onSuccess: ({ previewId, left: [unchangedTool] }) => {
      if (unchangedTool) showFailure(new CallError(unchangedTool.failure))
      else apply.mutate({ previewId })
    },
    onError: showFailure,
  })
  if (!modelSwitch) return null
  const { to, choices } = modelSwitch
  return (
    <Button
      size="sm"
      icon={ArrowRightLeft}
      busy={preview.isPending || apply.isPending}
      onClick={() => {
        requestedSwitch.current = modelSwitch
        preview.mutate({ choices })
      }}
    >
      {t('switchModel.button', { count: choices.length, model: to })}
    </Button>
  )
}

/** Notice that a tool's model has no quota left. */
export function ExhaustedNotice({ applied }: Pick<ToolView, 'applied'>) {
  const { t } = useTranslation('tools')
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
