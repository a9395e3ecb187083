import type { BulkPreview, PlanView, ToolView } from '@shared/contract'
import { hasNoChanges } from '@shared/tool-changes'
import { useRef, useState } from 'react'
import { useSearchParams } from 'react-router'
import { useAction } from '../../ipc'
import { useCurrentPlan } from '../../session'
import { useModelQuotas } from '../usage/quota'
import { usePreview } from './file-changes'
import { type BulkFormOverrides, buildBulkInput, readRoute, resolveBulkForm } from './tool-form'

/** Result of configuring several tools: their new state, and the preview that was applied. */
export interface ToolsSetUpResult {
  readonly tools: readonly ToolView[]
  readonly preview: BulkPreview
  readonly planId: string
  readonly keyId: string | undefined
}

export interface SetUpProps {
  readonly tools: readonly ToolView[]
  readonly plans: readonly PlanView[]
  readonly onDone: (result: ToolsSetUpResult) => void
}

/** Tools to configure: those in the page address, or else all installed ones. */
function useChosenTools(tools: readonly ToolView[]) {
  const [query, setQuery] = useSearchParams()
  const namedToolIds = query.get('tools')?.split(',')
  const offeredTools = tools.filter(
    ({ kind, installed, id, applied }) => kind === 'written' && (installed || applied || namedToolIds?.includes(id)),
  )
  const route = readRoute(query.get('route'))
  const chosenTools = offeredTools.filter(({ id, installed, routes }) =>
    namedToolIds ? namedToolIds.includes(id) : installed && routes.includes(route ?? 'gateway'),
  )
  const chooseTools = (ids: ReadonlySet<string>): void =>
    setQuery(
      (previousQuery) => {
        const nextQuery = new URLSearchParams(previousQuery)
        nextQuery.set('tools', [...ids].join(','))
        return nextQuery
      },
      { replace: true },
    )
  return {
    planId: query.get('plan') ?? undefined,
    route,
    isNamed: namedToolIds !== undefined,
    offered: offeredTools,
    chosen: chosenTools,
    choose: chooseTools,
  }
}

export function useSetUpTools({ tools, plans, onDone }: SetUpProps) {
  const [ownOverrides, setOwnOverrides] = useState<BulkFormOverrides>({})
  const toolSelection = useChosenTools(tools)
  const formOverrides: BulkFormOverrides = { planId: toolSelection.planId, route: toolSelection.route, ...ownOverrides }
  const { listExhausted } = useModelQuotas()
  const choice = resolveBulkForm({ plans, currentPlan: useCurrentPlan(), picked: formOverrides, listExhausted })
  const input = buildBulkInput(toolSelection.chosen, choice, formOverrides)
  const previewState = usePreview('tools.previewMany', input)
  const { preview } = previewState
  // The preview that is being applied. A newer preview may replace it on the page before the write has ended.
  const requestedSetup = useRef<Omit<ToolsSetUpResult, 'tools'>>(undefined)
  const writeTools = useAction('tools.applyMany', {
    invalidates: ['tools', 'plans', 'profiles', 'relay'],
    onSuccess: (writtenTools) => requestedSetup.current && onDone({ tools: writtenTools, ...requestedSetup.current }),
  })
  const plainTextTools = new Set(
    input?.choices.flatMap((toolChoice) => (toolChoice.delivery === 'plain' ? [toolChoice.toolId] : [])),
  )
  const plainText = (preview?.tools ?? []).filter(({ toolId }) => plainTextTools.has(toolId))
  const lacksConsent = plainText.length > 0 && !formOverrides.plainTextAccepted
  const isNoOp = preview?.tools.every(hasNoChanges) ?? false
  const isOld = previewState.isOld || (writeTools.isError && previewState.isAsking)
  const canApply = !isOld && !isNoOp && !lacksConsent && !writeTools.isPending
  const apply = (): void => {
    if (!canApply || !choice || !preview) return
    requestedSetup.current = { preview, planId: choice.plan.id, keyId: choice.keyId }
    writeTools.mutate({ previewId: preview.previewId })
  }
  const applyOverrides = (change: BulkFormOverrides): void => {
    writeTools.reset()
    setOwnOverrides((previousOverrides) => ({ ...previousOverrides, ...change }))
  }
  const applyToolOverrides = (toolId: string, change: NonNullable<BulkFormOverrides['single']>[string]): void =>
    applyOverrides({ single: { ...formOverrides.single, [toolId]: { ...formOverrides.single?.[toolId], ...change } } })
  return {
    ...toolSelection,
    picked: formOverrides,
    choice,
    input,
    shown: previewState,
    writing: writeTools,
    plainText: plainText.map(({ toolId }) => toolId),
    lacksConsent,
    idle: isNoOp,
    apply: preview && canApply ? apply : undefined,
    pick: applyOverrides,
    pickFor: applyToolOverrides,
  }
}
