import type { ManyPreview, PlanView, ToolView } from '@shared/contract'
import { useRef, useState } from 'react'
import { useSearchParams } from 'react-router'
import { useAction } from '../../ipc'
import { useCurrentPlan } from '../../session'
import { changesNothing, useShown } from './file-changes'
import { type BulkFormOverrides, completeMany, manyInput, readRoute } from './tool-form'

/** Tools that were configured together, with the written preview. */
export interface SetUpDone {
  readonly tools: readonly ToolView[]
  readonly preview: ManyPreview
  readonly planId: string
  readonly keyId: string | undefined
}

interface SetUpInput {
  readonly tools: readonly ToolView[]
  readonly plans: readonly PlanView[]
  readonly onDone: (done: SetUpDone) => void
}

/** Tools from the page address, or all installed ones. */
function useChosen(tools: readonly ToolView[]) {
  const [query, setQuery] = useSearchParams()
  const named = query.get('tools')?.split(',')
  const offered = tools.filter(
    ({ kind, installed, id, applied }) => kind === 'written' && (installed || applied || named?.includes(id)),
  )
  const route = readRoute(query.get('route'))
  const isUsual = ({ installed, routes }: ToolView): boolean => installed && routes.includes(route ?? 'gateway')
  const chosen = offered.filter((tool) => (named ? named.includes(tool.id) : isUsual(tool)))
  const choose = (ids: ReadonlySet<string>): void =>
    setQuery(
      (before) => {
        const next = new URLSearchParams(before)
        next.set('tools', [...ids].join(','))
        return next
      },
      { replace: true },
    )
  return {
    planId: query.get('plan') ?? undefined,
    route,
    isNamed: named !== undefined,
    offered,
    chosen,
    choose,
  }
}

export function useSetUp({ tools, plans, onDone }: SetUpInput) {
  const [own, setOwn] = useState<BulkFormOverrides>({})
  const choosing = useChosen(tools)
  const picked: BulkFormOverrides = { planId: choosing.planId, route: choosing.route, ...own }
  const choice = completeMany({ plans, currentPlan: useCurrentPlan(), picked })
  const input = manyInput(choosing.chosen, choice, picked)
  const shown = useShown('tools.previewMany', input)
  const { preview, isOld } = shown
  // The preview being written. The next one may arrive before the response.
  const asked = useRef<Omit<SetUpDone, 'tools'>>(undefined)
  const writing = useAction('tools.applyMany', {
    invalidates: ['tools', 'plans', 'profiles', 'relay'],
    onSuccess: (written) => asked.current && onDone({ tools: written, ...asked.current }),
  })
  const inPlainText = new Set(input?.choices.flatMap((one) => (one.delivery === 'plain' ? [one.toolId] : [])))
  const plainText = (preview?.tools ?? []).filter(({ toolId }) => inPlainText.has(toolId))
  const lacksConsent = plainText.length > 0 && !picked.plainTextAccepted
  const idle = preview?.tools.every(changesNothing) ?? false
  const isAwaited = writing.isError && shown.isAsking
  const canApply = preview !== undefined && !isOld && !isAwaited && !idle && !lacksConsent && !writing.isPending
  const apply = (): void => {
    if (!canApply || !choice) return
    asked.current = { preview, planId: choice.plan.id, keyId: choice.keyId }
    writing.mutate({ previewId: preview.previewId })
  }
  const pick = (change: BulkFormOverrides): void => {
    writing.reset()
    setOwn((before) => ({ ...before, ...change }))
  }
  const pickFor = (toolId: string, change: NonNullable<BulkFormOverrides['single']>[string]): void =>
    pick({ single: { ...picked.single, [toolId]: { ...picked.single?.[toolId], ...change } } })
  return {
    ...choosing,
    picked,
    choice,
    input,
    shown,
    writing,
    plainText: plainText.map(({ toolId }) => toolId),
    lacksConsent,
    idle,
    apply: canApply ? apply : undefined,
    pick,
    pickFor,
  }
}
