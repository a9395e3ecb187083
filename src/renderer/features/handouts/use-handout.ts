import type { HandoutResult, PlanView, ToolView } from '@shared/contract'
import { keepPreviousData } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useAction, useCall } from '../../ipc'
import { setupsOf } from '../tools/sites'
import { useHandoutsStore } from './handouts-store'
import { chosenKey, type HandoutDraft, missingOf, planOf, willMake, wishOf } from './wish'

const settleMs = 250

/** A text once it has stood still for a moment. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    if (text === settled) return
    const timer = setTimeout(() => setSettled(text), settleMs)
    return () => clearTimeout(timer)
  }, [text, settled])
  return settled
}

/** The tools that use a plan on this computer. */
export const toolsOfPlan = (tools: readonly ToolView[], planId: string | undefined): readonly string[] =>
  tools
    .filter((tool) => setupsOf(tool).some(({ applied }) => applied !== undefined && applied.planId === planId))
    .map(({ id }) => id)

/** What to know before: whom the key serves already, how many places are free, what a new key is called. */
function useHandoutPreview(plan: PlanView | undefined, draft: HandoutDraft) {
  const name = useSettled(draft.name.trim()).slice(0, 100)
  const keyId = plan && chosenKey(plan, draft)
  const isAskable = plan !== undefined && name !== '' && (keyId !== undefined || willMake(plan, draft))
  const { data } = useCall(
    'handouts.preview',
    {
      planId: plan?.id ?? '',
      ...(keyId === undefined ? {} : { keyId }),
      holder: { kind: draft.kind, name: name === '' ? '-' : name },
    },
    { enabled: isAskable, placeholderData: keepPreviousData, staleTime: 0 },
  )
  return isAskable ? data : undefined
}

/** What the form of a hand-out begins with, and what follows it. */
export interface HandoutStart {
  readonly plans: readonly PlanView[]
  readonly tools: readonly ToolView[]
  readonly first: HandoutDraft
  readonly onMade: (result: HandoutResult) => void
}

/** The form of a hand-out: what stands in it, what is missing, what to know, and the press that makes the kit. */
export function useHandout({ plans, tools, first, onMade }: HandoutStart) {
  const [draft, setDraft] = useState(first)
  const add = useHandoutsStore((store) => store.add)
  const plan = planOf(plans, draft.planId)
  const toolIds = draft.toolIds ?? toolsOfPlan(tools, plan?.id)
  const preview = useHandoutPreview(plan, draft)
  const creating = useAction('handouts.create', {
    invalidates: ['register', 'account', 'plans', 'audit'],
    onSuccess: (result) => {
      add([result])
      if (result.state === 'written') onMade(result)
    },
  })
  const isFull = preview?.makesKey === true && preview.freeSlots === 0
  const wish = plan && !isFull ? wishOf(plan, draft, toolIds) : undefined
  const { mutate, isPending } = creating
  const change = (part: Partial<HandoutDraft>): void => {
    creating.reset()
    setDraft({ ...draft, ...part })
  }
  return {
    ...{ draft, change, plan, toolIds, preview, isFull, creating },
    missing: plan ? missingOf(plan, draft) : [],
    create: wish && !isPending ? () => mutate(wish) : undefined,
  }
}

export type Handout = ReturnType<typeof useHandout>
