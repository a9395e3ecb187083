import type { MethodInput, Route, ToolView, ToolWarning } from '@shared/contract'
import { useRef } from 'react'
import { useNavigate } from 'react-router'
import type { RemedyHandlers } from '../../failures'
import { call, useAction, useCall } from '../../ipc'
import { pointPath } from '../../paths'
import { useToastAction } from '../../toast-actions'
import { useModelQuotas } from '../usage/quota'
import { usePreview } from './file-changes'
import { type SiteTool, setupKey, toToolLocation } from './sites'
import { useToolsStore } from './tool-form'
import { toolPath } from './tool-status'

export function useRemedies(tool: SiteTool, planId: string | undefined, retry: () => void): RemedyHandlers {
  const navigate = useNavigate()
  const showFile = useShowFile()
  const { mutate: startSandbox } = useAction('sandbox.open', { onSuccess: retry })
  const { mutate: startRelay } = useAction('relay.start', { invalidates: ['relay', 'tools'], onSuccess: retry })
  const openConfigurePage = (): void => void navigate(toolPath(tool.id, 'configure', tool.site))
  const otherModelPath = useOtherModelPath(tool)
  const toPlan = (query: string) =>
    planId === undefined ? undefined : () => void navigate(`/plans/${planId}?${query}`)
  return {
    tryAgain: retry,
    pasteKey: toPlan('paste=1'),
    // If the tool's settings were changed, the wrong address comes from them and not from the plan.
    setAddress: tool.status === 'drifted' ? openConfigurePage : toPlan('edit=1'),
    chooseModel: () => void navigate(otherModelPath),
    choosePlan: openConfigurePage,
    chooseKey: openConfigurePage,
    useNewKey: openConfigurePage,
    configure: openConfigurePage,
    showFile: () => showFile(toToolLocation(tool.id, tool.site)),
    startSandbox: () => startSandbox({}),
    startRelay: () => startRelay({}),
    pointAtPlan: tool.routes.includes('gateway')
      ? () => void navigate(pointPath({ to: 'gateway', toolIds: [tool.id] }))
      : undefined,
    recheckVault: () => void call('app.recheckVault', {}).then(retry, retry),
  }
}

/** Previews and writes a setup of a tool. Passes on the warnings of the written preview, not of a newer one. */
export function useWriteTool(
  input: MethodInput<'tools.preview'> | undefined,
  onApplied: (tool: ToolView, warnings: readonly ToolWarning[]) => void,
) {
  const shown = usePreview('tools.preview', input)
  const { preview } = shown
  const writtenWarnings = useRef<readonly ToolWarning[]>([])
  // Reloads the preview also after a failure. After `file.changed`, it shows the changed file.
  const writeTool = useAction('tools.apply', {
    invalidates: ['tools', 'plans', 'profiles', 'relay'],
    onSuccess: (tool) => onApplied(tool, writtenWarnings.current),
  })
  // After a failed write, wait for a new preview. A background refresh does not prevent a write.
  const isOld = shown.isOld || (writeTool.isError && shown.isAsking)
  const apply =
    preview && !isOld
      ? () => {
          writtenWarnings.current = preview.warnings
          writeTool.mutate({ previewId: preview.previewId })
        }
      : undefined
  return { shown, writeTool, apply }
}

/** Path of the form with another model of the plan that has quota left, if there is one. */
export function useOtherModelPath({ id, site, applied }: SiteTool): string {
  const { data: plans = [] } = useCall('plans.list', {})
  const exhausted = useModelQuotas().listExhausted(applied?.planId ?? '')
  const models = plans.find((plan) => plan.id === applied?.planId)?.models ?? []
  const modelCode = models.find((code) => code !== applied?.modelCode && !exhausted.has(code))
  const path = toolPath(id, 'configure', site)
  return modelCode === undefined ? path : `${path}&model=${encodeURIComponent(modelCode)}`
}

/** Shows a file of a tool in the file manager, by default the file with the gateway address. */
export function useShowFile(): (file: MethodInput<'tools.showFile'>) => void {
  return useToastAction('tools.showFile').mutate
}

/** Opens the form with a preselected route. Writes nothing. */
export function useOpenConfigureRoute(): (tool: Pick<SiteTool, 'id' | 'site'>, route: Route) => void {
  const navigate = useNavigate()
  const pickChoice = useToolsStore((store) => store.pick)
  return ({ id, site }, route) => {
    pickChoice(setupKey(id, site), { route })
    void navigate(toolPath(id, 'configure', site))
  }
}
